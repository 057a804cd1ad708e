"""What every result that `figures.plot` draws can do: draw itself."""


class Drawn:
    """A result with a picture of its own."""

    def plot(self, ax=None, **settings):
        """Return axes with the points, the curve and its interval, as `figures.plot` draws them.

        A forecast is dashed beyond its points; a comparison of builds has both curves.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default on axes of a new figure.
        **settings
            until, beside, as for `figures.plot`.

        Examples
        --------
        >>> from dominoperf import fit
        >>> fit("linear", x=[1, 2, 4], y=[10, 21, 39]).plot(until=8).get_xlabel()
        'x'
        """
        from dominoperf.figures import plot  # drawn only where it is shown

        return plot(self, ax, **settings)
