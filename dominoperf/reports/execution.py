"""Papermill's engine as we run it: the notebook is written once, when it has ended, rather than after every cell."""

from papermill.engines import NBClientEngine, papermill_engines

NAME = "dominoperf"


class _Engine(NBClientEngine):
    @classmethod
    def execute_managed_notebook(cls, nb_man, kernel_name, **how):
        """Execute the cells; papermill writes what became of them when this is over, however it ended."""
        place, nb_man.output_path = nb_man.output_path, None
        try:
            return super().execute_managed_notebook(nb_man, kernel_name, **how)
        finally:
            nb_man.output_path = place


papermill_engines.register(NAME, _Engine)
