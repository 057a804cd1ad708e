"""Who is let in: whoever knows the token, whatever a user's own settings of Jupyter say of it.

Only the servers of `dominoperf lab` and `dominoperf app` load this module.
"""

import secrets

from jupyter_server.auth.identity import PasswordIdentityProvider


class Guarded(PasswordIdentityProvider):
    """Asks for a token, or for the password that a user has set; settings that ask for neither get a token."""

    def __init__(self, **settings):
        super().__init__(**settings)
        if not (self.token or self.hashed_password):
            self.token, self.token_generated = secrets.token_hex(24), True
