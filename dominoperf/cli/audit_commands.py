"""Commands for claims, recommendations and regenerated cells of the documents."""

from dominoperf.cli.options import ADVICE_VERDICTS, VERDICTS, VIEWS_OF_DATA
from dominoperf.cli.printing import DIFFERS, print_message, print_table, print_text
from dominoperf.errors import counted

CONTRADICTED = "contradicted"
FEW_CAUSES = 10  # of contradictions, the gravest


def audit_options(command):
    """Which claims, and by which view of the cells."""
    command.add_argument("--source", metavar="SOURCE", help="only the claims of this document")
    command.add_argument("--verdict", choices=VERDICTS, help="only the claims with this verdict")
    command.add_argument("--topic", metavar="TOPIC", help="only the claims of this topic")
    _view_option(command)


def audit(arguments):
    """Judge every quantitative claim of the documents; print those asked for, and unexpected verdicts."""
    from dominoperf.study.audit import audit_claims

    whole = audit_claims(arguments.source, as_=arguments.as_)
    chosen = whole.only(arguments.verdict, arguments.topic)
    if arguments.format != "text":
        print_table(chosen.tidy(), arguments)
    elif arguments.verdict or arguments.topic:  # a terminal has room for some columns
        columns = ["id", "verdict", "stated", "computed", "unit", "reading", "claim"]
        frame = chosen.tidy()
        if arguments.verdict == CONTRADICTED:  # what puts a plan furthest off first, and what it puts off
            columns, frame = ["bears_on", *columns], chosen.contradictions()
        print_table(frame[columns], arguments)
    else:
        from dominoperf.study.audit import causes

        print_text(chosen, end="")
        found = causes(chosen)
        if len(found):
            print_text(
                f"\nWhy claims are contradicted: {counted(len(found), 'cause')}, what puts a plan furthest off first"
            )
            shown = ["bears_on", "source", "mistake", "quantity", "by_print", "by_numbers", "unit", "claims"]
            print_table(found[shown].head(FEW_CAUSES), arguments)
            if len(found) > FEW_CAUSES:
                print_text(f"{len(found) - FEW_CAUSES} more; --verdict contradicted lists the claims.")
    news = len(whole.unpinned()) - len(whole.failed) if arguments.as_ == "printed" else 0  # the print's are expected
    for claim, error in whole.failed:
        print_message(f"claim {claim.id} is not judged: {error}")
    count = counted(len(whole.claims), "claim")
    asked = [arguments.verdict or "", f"of the topic {arguments.topic}" if arguments.topic else ""]
    if any(asked):
        count = f"{len(chosen.claims)} of {count} {' '.join(filter(None, asked))}"
    if arguments.as_ != "printed":
        print_message(count)
    elif news:
        print_message(f"{count}; {news} with another verdict than expected")
    else:
        print_message(f"{count}; all {'other ' if whole.failed else ''}verdicts as expected")
    return DIFFERS if news or whole.failed else 0


def advice_options(command):
    """Which recommendations, and by which view of the cells."""
    about = "processors, memory, disk, raid, tuning, planning, method, ... (default: all)"
    command.add_argument("topic", nargs="?", metavar="TOPIC", help=about)
    command.add_argument("--source", metavar="SOURCE", help="only what this document recommends")
    command.add_argument("--verdict", choices=ADVICE_VERDICTS, help="only the recommendations with this verdict")
    _view_option(command)


def advice(arguments):
    """Say what the documents recommend, what their own numbers say of it, and what our models add."""
    from dominoperf import study
    from dominoperf.tables import document

    found = study.advice(arguments.topic, source=arguments.source, as_=arguments.as_)
    counts = found["verdict"].value_counts().to_dict()
    if arguments.verdict:
        found = found[found["verdict"] == arguments.verdict]
    if arguments.format != "text":
        print_table(found, arguments)
    for topic, rows in found.groupby("topic", sort=False) if arguments.format == "text" else ():
        print_text(f"{topic.capitalize()}\n")
        for row in rows.itertuples():
            print_text(f"  {row.advice} [{row.verdict}]\n    {document(row.source)['title']}, {row.locator} ({row.id})")
            print_text(f"    Its numbers: {row.documents_say}")
            for name, told in (("Our models", row.models_add), ("Reports", row.reports)):
                if told:
                    print_text(f"    {name}: {told}")
            print_text("")
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    print_message(f"{counted(sum(counts.values()), 'recommendation')}: {verdicts} by the numbers of their own document")


def diff_options(command):
    """Which table."""
    which = "a table with regenerated cells, or a figure (default: counts of all)"
    command.add_argument("id", nargs="?", metavar="ID", help=which)


def diff(arguments):
    """Compare regenerated cells with the published ones: counts by table, or the cells of a table or figure."""
    from dominoperf.study.audit.differences import diff_table, diffs
    from dominoperf.study.recompute import failing

    lost = {}
    if arguments.id is None:
        laid, lost = diffs(), failing()
        print_table(laid.glance(), arguments)
    else:
        laid = diff_table(arguments.id)
        print_table(laid.tidy(), arguments)
    news = len(laid.unpinned())
    for id, why in lost.items():
        print_message(f"{id}: not regenerated: {why}")
    differ = f"{counted(news, 'cell')} differ{'s' * (news == 1)} otherwise than errata and differences.csv say"
    print_message(differ if news else "every difference is explained, by an erratum or by differences.csv")
    return DIFFERS if news or lost else 0


def _view_option(command):
    """By which view of the cells claims and recommendations are judged."""
    cells = "the cells as the pages have them (default), or with certain errata applied, or with suspected ones too"
    command.add_argument("--as", dest="as_", choices=VIEWS_OF_DATA, default="printed", help=cells)
