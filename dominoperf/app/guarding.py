"""Who is let in: whoever knows the token, whatever a user's own settings of Jupyter say of it.

Only the servers of `dominoperf lab` and `dominoperf app` load this module.
"""

import secrets

from jupyter_server.auth.identity import PasswordIdentityProvider

_OURS = {"same-origin", "none"}  # a page of this server asks, or the user by the address line


class Guarded(PasswordIdentityProvider):
    """Asks for a token, or for the password that a user has set; settings that ask for neither get a token.

    The cookie that stands for it afterwards counts only where a page of this server asks, or the user types the
    address. What any other page asks, by a link, a frame, a script or a websocket, has to bring the token.
    """

    def __init__(self, **settings):
        super().__init__(**settings)
        self.cookie_options = self.cookie_options | {"samesite": "Strict"}
        if not (self.token or self.hashed_password):
            self.token, self.token_generated = secrets.token_hex(24), True

    async def get_user(self, handler):
        """Return the user; nobody where another page asks in the user's name."""
        if asked_elsewhere(handler.request.headers) and not await self.get_user_token(handler):
            return None
        return await self._get_user(handler)


def asked_elsewhere(headers):
    """Tell whether a page of another origin sent a request, by the headers that a browser adds and a page cannot set.

    A site is no origin: all ports of this machine are one site, for which SameSite does not hold a cookie back.
    """
    origin = headers.get("Origin")
    if origin is not None:
        return origin.partition("://")[2] != headers.get("Host")
    return headers.get("Sec-Fetch-Site", "none") not in _OURS
