"""Commands on the five documents: what help says to try first, an example of each, and the page of them all."""

from pathlib import Path

RUN_IT = Path(__file__).with_name("run_it.md")
"""The handbook's page of every command and name in one line each."""

OVERVIEW = """\
dominoperf answers capacity questions from load tests: how many users a
server carries, how sure that is, and what to buy. It reads load tests of
your own, and brings every table of five published Lotus Domino reports.

Try first:
  dominoperf tables compaq_domino45/a_mail   a published table
  dominoperf capacity 'PC Server 330' --workload mail
                                             users of a machine, what runs out
  dominoperf fit amdahl smp_mail --at 4      users that four processors carry
  dominoperf compare processors smp_mail     which scaling laws fit
  dominoperf plan --example case_study       servers, memory and disks of a plan

Commands:
  load tests of your own   ingest, steady, curve, fit, compare, forecast,
                           ab, laws
  machines and plans       capacity, plan
  published tables         tables, describe, series, audit, advice, diff
  data of your own         new, check
  reports and notebooks    report, sweep, verify, archive, lab, app

`dominoperf COMMAND --help` explains one, with an example.
"""
# One command that runs, for each: in its help, and where a word of it is missing. A test runs them.
EXAMPLES = {
    name: f"dominoperf {name} {words}".rstrip()
    for name, words in {
        "report": "processors --explain",
        "sweep": "71_case_study grid.toml",
        "verify": "",
        "archive": "archived",
        "tables": "compaq_domino45/a_mail --as printed",
        "describe": "compaq_domino45/a_mail",
        "series": "smp_mail",
        "ingest": "capture.nmon --out samples.csv",
        "laws": "processors",
        "fit": "amdahl smp_mail --at 4",
        "compare": "processors smp_mail",
        "forecast": "smp_mail --at 4 8",
        "curve": "runs --format csv",
        "ab": "before after --fail-below 5%",
        "steady": "samples.csv --on cpu_utilization_percent",
        "capacity": "--processors 2 --clock 200 --l2 512 --ram 512 --workload mail",
        "plan": "--example case_study",
        "audit": "--verdict contradicted --source domino6",
        "advice": "cache",
        "diff": "compaq_domino45/a_mail",
        "check": "my_runs",
        "new": "my_runs --from runs.csv",
        "lab": "my_notebooks",
        "app": "03_explore",
    }.items()
}
