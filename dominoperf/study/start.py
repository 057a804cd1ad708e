"""What the interactive notebook shows before a reader has chosen anything."""

DOCUMENT = "compaq_domino45"
SERIES = "smp_mail"
TABLE = "compaq_domino45/a_mail"
SYSTEM = "ProLiant 5000 1xP6/200-512"
