"""How fast and how good against others: `make bench` prints one table of ratios and one of forecasts."""
