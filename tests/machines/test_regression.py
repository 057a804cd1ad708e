"""Factor models: certified answers, hand-computed cases, and every way in which the rows cannot tell."""

import functools

import numpy as np
import pandas as pd
import pytest

from dominoperf import factor_model
from dominoperf.errors import BadTable, CannotFit, UnknownName
from dominoperf.machines import (
    NO_RANKING,
    PROPORTIONAL,
    added_demand,
    censored,
    censoring,
    demand,
    driver_limits,
    paired_ratios,
    task_demand,
)
from dominoperf.machines.observations import capacity_observations
from dominoperf.runs import benchmarks
from dominoperf.study import paired_runs, workload_scripts
from dominoperf.tables.carried_errata import attach_errata, errata_of
from dominoperf.tables.folders import our_toml_file

# NIST StRD, data set Longley: certified estimates and standard errors, residual standard deviation, R squared.
LONGLEY = {
    "x1": (15.0618722713733, 84.9149257747669),
    "x2": (-0.0358191792925910, 0.0334910077722432),
    "x3": (-2.02022980381683, 0.488399681651699),
    "x4": (-1.03322686717359, 0.214274163161675),
    "x5": (-0.0511041056535807, 0.226073200069370),
    "x6": (1829.15146461355, 455.478499142212),
}
LONGLEY_SPREAD, LONGLEY_R_SQUARED = 304.854073561965, 0.995479004577296


@pytest.fixture(autouse=True)
def _read_once(monkeypatch, runs):
    """Reading all runs takes a second or two: once is enough."""
    monkeypatch.setattr("dominoperf.machines.levels.benchmarks", runs.copy)


@pytest.fixture(scope="module")
def runs():
    """Every run of the documents."""
    return benchmarks()


def simple(**changes):
    """Eight rows, two workloads, exponent 0.5 by construction but for a little noise."""
    processors = np.array([1.0, 2, 4, 8, 1, 2, 4, 8])
    noise = np.exp([0.01, -0.02, 0.015, 0, -0.01, 0.02, 0.005, -0.02])
    cells = {"processors": processors, "workload": ["Mail"] * 4 + ["DiscDB"] * 4}
    cells["users"] = 1000 * processors**0.5 * np.where(np.arange(8) < 4, 1, 0.4) * noise
    return pd.DataFrame(cells | changes)


def model(frame=None, factors=("processors", "workload"), **options):
    """A model of the simple rows."""
    return factor_model("users", factors, simple() if frame is None else frame, **options)


def longley():
    """Longley's data raised from their logarithms, divided by what keeps them finite."""
    import statsmodels.api as sm

    data = sm.datasets.longley.load_pandas().data.astype(float)
    data.columns = ["users", *LONGLEY]
    scale = data.abs().max()
    return np.exp(data / scale), scale


def test_longley_certified():
    """Estimates and standard errors to eight digits, through exp and log; the conditioning takes the others."""
    frame, scale = longley()
    found = factor_model("users", tuple(LONGLEY), frame, robust="none")
    tidy = found.tidy().set_index("term")
    for name, (estimate, error) in LONGLEY.items():
        unscale = scale["users"] / scale[name]
        assert tidy.loc[name, "estimate"] * unscale == pytest.approx(estimate, rel=1e-8)
        assert tidy.loc[name, "std_error"] * unscale == pytest.approx(error, rel=1e-8)
    glance = found.glance().iloc[0]
    assert glance["log_rmse"] * scale["users"] == pytest.approx(LONGLEY_SPREAD, rel=1e-8)
    assert glance["r_squared"] == pytest.approx(LONGLEY_R_SQUARED, rel=1e-9)
    assert (glance["n"], glance["n_params"], glance["dof"]) == (16, 7, 9)


def test_inflation_is_statsmodels_own_and_said():
    """Longley's variance inflation, term by term; every factor over ten is said with its partner."""
    from statsmodels.stats.outliers_influence import variance_inflation_factor

    frame, _ = longley()
    found = factor_model("users", tuple(LONGLEY), frame)
    matrix = np.column_stack([np.ones(16), *(np.log(frame[name]) for name in LONGLEY)])
    expected = [variance_inflation_factor(matrix, k) for k in range(1, 7)]
    assert found.tidy()["vif"][1:].tolist() == pytest.approx(expected, rel=1e-6)
    said = found.confounding()
    assert set(said[said["confounding"] == "inflated"]["term"]) == {
        n for n, v in zip(LONGLEY, expected, strict=True) if v > 10
    }


def test_generalised_inflation_does_not_depend_on_the_baseline():
    """A category's is the same whichever level comes first; of one column it is 1 / (1 - R^2)."""
    frame = simple(drives=[1.0, 2, 2, 9, 1, 3, 5, 4], operating_system=["a", "b", "c", "a", "b", "b", "c", "c"])
    found = factor_model("users", ("drives", "operating_system"), frame).tidy().set_index("term")
    renamed = frame.replace({"operating_system": {"b": "z"}})
    other = factor_model("users", ("operating_system", "drives"), renamed).tidy().set_index("term")
    logs = np.log(frame["drives"]) - np.log(frame["drives"]).mean()
    within = logs - logs.groupby(frame["operating_system"]).transform("mean")
    assert found.loc["drives", "vif"] == pytest.approx((logs @ logs) / (within @ within))
    # Of two groups of columns both determinants are the same; the category takes the root, having two terms.
    assert found.loc["operating_system[a]", "vif"] == pytest.approx(found.loc["drives", "vif"] ** 0.5)
    assert (found.loc["operating_system[a]", "baseline"], other.loc["operating_system[a]", "baseline"]) == ("b", "c")
    assert other["vif"].dropna().drop_duplicates().tolist() == pytest.approx(
        found["vif"].dropna().drop_duplicates().tolist()[::-1]
    )


def test_by_hand_two_groups():
    """The ratio of two geometric means, with the pooled t interval."""
    frame = pd.DataFrame({"users": [100.0, 121, 200, 242, 200], "workload": ["a", "a", "b", "b", "b"]})
    row = factor_model("users", "workload", frame, robust="none").tidy().set_index("term").loc["workload[a]"]
    logs = np.log(frame["users"])
    a, b = logs[:2], logs[2:]
    pooled = np.sqrt((((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()) / 3)
    error = pooled * np.sqrt(1 / 2 + 1 / 3)
    assert row["estimate"] == pytest.approx(np.exp(a.mean() - b.mean()))
    assert row["std_error"] == pytest.approx(row["estimate"] * error)
    assert row["high"] == pytest.approx(row["estimate"] * np.exp(3.182446305284263 * error))
    assert row["baseline"] == "b"


def test_leverage_one_refuses_robust_errors_and_names_the_row():
    """A level seen once: classical errors, the row named in words and as confounded."""
    frame = simple(run=[f"r{k}" for k in range(8)], workload=["Mail"] * 4 + ["DiscDB"] * 3 + ["Hub"])
    found = model(frame)
    glance = found.glance().iloc[0]
    assert glance["robust"] == "none"
    assert glance["reason"] == "not robust: leverage 1 of r7"
    assert found.augment()["leverage"].iloc[7] == pytest.approx(1, abs=1e-10)
    assert np.isfinite(found.tidy()["std_error"]).all()
    assert "classical (not robust: leverage 1 of r7)" in str(found)
    alone = found.confounding().query("confounding == 'one row'")
    assert alone[["term", "confounded_with"]].to_numpy().tolist() == [["workload[Hub]", "r7"]]


def test_aliased_terms_are_nan_and_said():
    """Memory that is proportional to processors, and a release that goes with the workload, cannot be told apart."""
    frame = simple(ram_mb=simple()["processors"] * 256, domino_release=["4.5"] * 4 + ["4.51"] * 4)
    found = model(frame, ("processors", "ram_mb", "workload", "domino_release"))
    tidy = found.tidy().set_index("term")
    assert tidy["estimate"].isna().tolist() == [False, False, True, False, True]
    assert tidy.loc["ram_mb", "reason"] == "aliased with processors"
    assert tidy.loc["processors", "reason"] == "stands also for what ram_mb would explain"
    assert tidy["reason"].iloc[4] == f"aliased with {tidy.index[3]}"
    assert found.confounding().query("confounding == 'aliased'")["term"].tolist() == ["ram_mb", tidy.index[4]]
    assert found.describe("ram_mb") == "ram_mb: not known (aliased with processors)"
    assert found.describe("ram_mb", named=False) == "not known (aliased with processors)"
    assert found.describe("processors", named=False) == found.describe("processors").removeprefix("processors ")
    assert found.glance()["n_params"][0] == 3
    assert tidy.loc["processors", "estimate"] == pytest.approx(model().tidy()["estimate"][1])


def test_forecast_that_breaks_an_alias_is_refused():
    """Twice the memory at the same processors was never seen; along the alias all is well."""
    frame = simple(ram_mb=simple()["processors"] * 256)
    found = model(frame, ("processors", "ram_mb"))
    asked = pd.DataFrame({"processors": [4.0, 4.0], "ram_mb": [1024.0, 2048.0]})
    predicted = found.predict(asked)
    assert np.isfinite(predicted["predicted"][0])
    assert np.isnan(predicted["predicted"][1])
    assert predicted["reason"][1] == "differs in terms that the rows cannot tell apart"
    assert predicted["extrapolated"].tolist() == [False, True]


def test_constant_factors_are_one_value():
    """A number that never changes, a category with one level: no effect, and said so."""
    found = model(simple(clock_mhz=200.0, operating_system="AIX"), ("processors", "clock_mhz", "operating_system"))
    said = found.confounding().set_index("term")
    assert said.loc["clock_mhz", "confounding"] == said.loc["operating_system", "confounding"] == "one value"
    assert said.loc["operating_system", "reason"] == "Every row has AIX."
    assert "takes one value only" in found.tidy()["reason"][2]


def test_levels_that_meet_one_value_of_another_factor():
    """All rows of a workload on one platform: named."""
    frame = simple(operating_system=["AIX"] * 4 + ["AIX", "AIX", "Solaris", "Solaris"])
    said = model(frame, ("processors", "workload", "operating_system")).confounding()
    surrounding = said[said["confounding"] == "one surrounding"].set_index("term")["confounded_with"]
    assert surrounding["workload[Mail]"] == "operating_system AIX"
    clocked = model(frame.assign(clock_mhz=[200.0] * 4 + [200.0, 233.5] * 2), ("processors", "workload", "clock_mhz"))
    said_of_clock = clocked.confounding().query("confounding == 'one surrounding'")
    assert said_of_clock["confounded_with"].tolist() == ["clock_mhz 200"]
    assert surrounding["operating_system[Solaris]"] == "workload DiscDB"
    assert "workload[DiscDB]" not in surrounding


def test_no_degree_of_freedom_is_no_error():
    """As many terms as rows: estimates without errors, and the reason."""
    found = factor_model("users", "workload", pd.DataFrame({"users": [100.0, 200], "workload": ["a", "b"]}))
    tidy, glance = found.tidy(), found.glance().iloc[0]
    assert tidy["estimate"].tolist() == pytest.approx([100, 2])
    assert tidy[["std_error", "low", "high"]].isna().all(axis=None)
    assert glance["dof"] == 0
    assert np.isnan(glance["log_rmse"])
    assert np.isnan(glance["r_squared"])
    assert "no residual degree of freedom" in glance["reason"]
    assert "No errors" in found.headline()
    predicted = found.predict(pd.DataFrame({"workload": ["b"]})).iloc[0]
    assert predicted["predicted"] == pytest.approx(200)
    assert np.isnan(predicted["mean_low"])
    assert predicted["reason"] == glance["reason"]


def test_model_through_every_row_has_no_errors():
    """Residuals of the arithmetic alone are no noise."""
    frame = simple(users=1000 * simple()["processors"] ** 0.5)
    found = model(frame, "processors")
    assert found.tidy()["estimate"][1] == pytest.approx(0.5)
    assert found.tidy()["std_error"].isna().all()
    assert "passes through every row" in found.headline()


@pytest.mark.parametrize("kind", ["none", "HC3"])
def test_numbers_are_those_of_the_formula_interface(kind):
    """Terms, leverage and the intervals of a median and of a new run, as one would ask statsmodels for them."""
    import statsmodels.formula.api as smf

    errors = {"cov_type": "HC3", "use_t": True} if kind == "HC3" else {}
    theirs = smf.ols("np.log(users) ~ np.log(processors) + C(workload)", simple()).fit(**errors)
    found = model(robust=kind)
    term, ends = found.tidy().set_index("term").loc["processors"], theirs.conf_int().loc["np.log(processors)"]
    own = [theirs.params["np.log(processors)"], theirs.bse["np.log(processors)"], *ends]
    assert term[["estimate", "std_error", "low", "high"]].tolist() == pytest.approx(own)
    assert found.augment()["leverage"].tolist() == pytest.approx(theirs.get_influence().hat_matrix_diag.tolist())
    assert found.glance()["robust"][0] == kind
    asked = pd.DataFrame({"processors": [3.0], "workload": ["DiscDB"]})
    row, logs = found.predict(asked).iloc[0], theirs.get_prediction(asked).summary_frame(alpha=0.05).iloc[0]
    names = {"predicted": "mean", "mean_low": "mean_ci_lower", "mean_high": "mean_ci_upper"}
    names |= {"obs_low": "obs_ci_lower", "obs_high": "obs_ci_upper"}
    assert np.log(row[[*names]].astype(float)).tolist() == pytest.approx(logs[[*names.values()]].tolist())
    assert row["std_error"] == pytest.approx(row["predicted"] * logs["mean_se"])


def test_unseen_levels_and_values_outside_are_said():
    """An unknown level is refused, a number outside or a far combination flagged, a missing one refused."""
    frame = simple(ram_mb=[256.0, 512, 1024, 2048, 300, 600, 1100, 2100])
    found = model(frame, ("processors", "ram_mb", "workload"))
    cells = {"processors": [2.0, 16, np.nan, 8, 2], "ram_mb": [512.0, 2048, 512, 256, 512]}
    predicted = found.predict(pd.DataFrame(cells | {"workload": ["Hub", "Mail", "Mail", "Mail", "Mail"]}))
    assert predicted["predicted"].isna().tolist() == [True, False, True, False, False]
    assert predicted["extrapolated"].tolist() == [True, True, True, True, False]
    assert "no row has workload 'Hub'; known are DiscDB, Mail" in predicted["reason"][0]
    assert "processors 16 is outside 1 to 8" in predicted["reason"][1]
    assert "no processors above zero" in predicted["reason"][2]
    assert "combination" in predicted["reason"][3]
    assert predicted["reason"][4] == ""


def test_forecasts_come_one_by_one():
    """A part of the new rows gives that part of the forecast; the model's own rows give their fitted values."""
    found = model()
    whole = found.predict(simple())
    pd.testing.assert_frame_equal(found.predict(simple().iloc[2:5]), whole.iloc[2:5])
    assert whole["predicted"].tolist() == pytest.approx(found.augment()["fitted"].tolist())
    assert whole["reason"].eq("").all()


def test_order_of_rows_is_no_matter():
    """Any permutation gives the same model."""
    shuffled = simple().sample(frac=1, random_state=3)
    pd.testing.assert_frame_equal(model().tidy(), model(shuffled).tidy(), rtol=1e-9)
    pd.testing.assert_frame_equal(model().glance(), model(shuffled).glance(), rtol=1e-9)


def test_units_leave_exponents_alone():
    """MHz or GHz: the same exponent, error, inflation and intercept."""
    frame = simple(clock_mhz=[200.0, 233, 300, 450, 233, 300, 200, 500])
    other = frame.assign(clock_mhz=frame["clock_mhz"] / 1000)
    tidies = [model(each, ("processors", "clock_mhz", "workload")).tidy() for each in (frame, other)]
    pd.testing.assert_frame_equal(*tidies, rtol=1e-9)


def test_users_are_capacities_only(runs):
    """No row of the two documents whose loads are none, no censored row; each with its reason."""
    found = factor_model()
    assert set(found.rows["run"].str.partition("/")[0]) == {"compaq_domino45", "ibm_330"}
    assert len(found.rows) == 19
    assert len(found.rows) + len(found.dropped) == len(runs)
    vendor = found.confounding().query("confounding == 'source'").set_index("term")["reason"]
    assert vendor.to_dict() == {
        "clock_mhz": "It has one value in each document: 200 in all 17 rows of compaq_domino45, 233 in all 2 rows of"
        " ibm_330."
    }
    partners = found.confounding().query("confounding == 'inflated'").set_index("term")["confounded_with"].to_dict()
    assert partners == {"l2_kb": "ram_mb", "processors": "ram_mb", "ram_mb": "processors"}
    reasons = found.dropped.set_index("run")["reason"]
    assert reasons["domino6/peak_load#1"].startswith(
        "the peak loads of the Domino 6 article enter as CPU per user only"
    )
    assert reasons["rhel5/results#value_600_users"].endswith("they are no capacities")
    assert reasons["compaq_domino45/a_mail#4"] == "no l2_kb"
    only = runs[runs["source"].isin(["domino6", "rhel5"])]
    with pytest.raises(CannotFit, match="0 of 49"):
        factor_model("users", "workload", only)
    costs = factor_model("cpu_per_user").rows
    assert "rhel5" in set(costs["run"].str.partition("/")[0])
    assert costs.set_index("run").loc["domino6/peak_load#1", "cpu_percent_per_1000_users"] == pytest.approx(4.44)


def test_censored_rows_are_never_a_capacity(monkeypatch, runs):
    """By the package's own verdict, and by the column of a frame of one's own."""
    frame = simple(limited_by=["server", "drivers", "cannot tell", "load chosen", "", "server", "server", "server"])
    found = model(frame)
    assert found.rows["run"].tolist() == ["row 1", "row 3", "row 5", "row 6", "row 7", "row 8"]
    assert found.dropped["reason"][0] == "censored: the load was set by drivers, not by the server"
    other = functools.partial(_verdict_of, "compaq_domino45/a_mail#1")
    monkeypatch.setattr(censoring, "censored", other)
    dropped = factor_model().dropped.set_index("run")["reason"]
    assert dropped["compaq_domino45/a_mail#1"].startswith("censored")


def _verdict_of(run, frame):
    """A verdict that blames the drivers for one run."""
    return censored(frame).assign(limited_by=lambda found: found["limited_by"].where(found["run"] != run, "drivers"))


def test_what_set_the_loads(runs):
    """A passage, the drivers, a busy server, else it cannot be told; every verdict has its evidence."""
    found = censored().set_index("run")
    verdict = found["limited_by"]
    assert verdict.value_counts().to_dict() == {"cannot tell": 40, "server": 26, "load chosen": 5, "drivers": 4}
    drivers = {f"domino6/peak_load#{k}" for k in (37, 39, 43, 45)}
    assert set(verdict.index[verdict == "drivers"]) == drivers
    assert verdict["domino6/peak_load#14"] == verdict["domino6/peak_load#20"] == "load chosen"
    assert verdict["domino6/peak_load#25"] == verdict["domino6/peak_load#7"] == "cannot tell"
    assert verdict["domino6/peak_load#1"] == verdict["compaq_domino45/a_mail#1"] == "server"
    assert "13 runs of the document stop at this load" in found.loc["domino6/peak_load#7", "reason"]
    assert found.loc["domino6/peak_load#37", "locator"] == "Domino 6 performs!, AIX / Test configuration"
    assert (found["reason"] != "").all()
    assert (found["locator"] != "").all()
    assert driver_limits()["users_most"].tolist() == [12000, 10000]


RUN = {"operating_system": "Linux", "workload": "mail", "domino_release": "8", "cpu_utilization_percent": np.nan}


def test_what_set_the_load_in_words():
    """What is printed and what is not; three runs that stop at one load are said, two are not."""
    runs = [RUN | {"users": 900, "response_s": 0.25}, RUN | {"users": 900, "response_s": np.nan}]
    runs += [RUN | {"users": 800, "response_s": np.nan, "cpu_utilization_percent": 84.9}]
    said = censored(pd.DataFrame(runs))
    nothing = "Nothing says what stopped it: "
    assert said["reason"].tolist() == [
        f"{nothing}no CPU utilization is printed, the response was 0.25 s, and no limit is printed.",
        f"{nothing}no CPU utilization is printed, no response is printed.",
        f"{nothing}the CPU was 84.9 % busy, no response is printed.",
    ]
    three = censored(pd.DataFrame([*runs, runs[1]]).assign(locator="page 7"))
    alike = " 3 runs of the document stop at this load, its largest."
    assert [alike in reason for reason in three["reason"]] == [True, True, False, True]
    assert three["reason"][1] == f"{nothing}no CPU utilization is printed, no response is printed.{alike}"
    assert three["locator"].tolist() == ["page 7"] * 4
    limited = pd.DataFrame([RUN | {"users": 5.0, "response_s": 0.4, "source": "domino6"}])
    assert (
        censored(limited)["reason"].item()
        == f"{nothing}no CPU utilization is printed, the response was 0.4 s of 1 s allowed."
    )
    slow = censored(limited.assign(response_s=0.5)).iloc[0]
    assert slow[["limited_by", "reason"]].tolist() == ["server", "The response of 0.5 s is near the limit of 1 s."]
    of_drivers = limited.assign(operating_system="AIX", users=[10000.0])
    assert censored(of_drivers)["reason"].item() == "All that the drivers could play: 10,000 users."
    assert censored(of_drivers.assign(users=9999.0))["limited_by"].item() == "cannot tell"
    assert censored(of_drivers.assign(source="other"))["limited_by"].item() == "cannot tell"
    with pytest.raises(UnknownName, match=r"censored\(data=...\)"):
        censored(limited.drop(columns="response_s"))


def test_passages_speak_of_runs_that_exist(runs):
    """The evidence of every passage of limits.toml is that of a run, and a verdict is one of the four."""
    reasons = set(censored()["reason"])
    stated = [each for about in our_toml_file("limits.toml").values() for each in about.get("stated", ())]
    assert {each["reason"] for each in stated} <= reasons
    assert {each["limited_by"] for each in stated} <= {"server", "drivers", "load chosen", "cannot tell"}


def test_release_effect_agrees_with_the_pairs():
    """The model over all runs of the article and the pairs tell about the same ratio."""
    found = factor_model("cpu_per_user", where={"source": "domino6"})
    ratio = 1 / found.tidy().set_index("term").loc["domino_release[5.0]", "estimate"]
    assert ratio == pytest.approx(paired_ratios(paired_runs.peak_loads()).glance()["ratio"][0], rel=0.1)
    assert len(found.rows) == 47


def test_platforms_are_not_ranked():
    """A difference can be had, a ranking not; the reason is said wherever platforms are factors."""
    found = factor_model("cpu_per_user", where={"source": "domino6"})
    assert NO_RANKING in found.headline()
    assert PROPORTIONAL in found.headline()
    assert PROPORTIONAL not in model().headline()
    assert found.describe("operating_system") == NO_RANKING
    assert found.describe("operating_system[AIX]").endswith(NO_RANKING)
    assert NO_RANKING not in model().headline()
    assert NO_RANKING not in found.describe("workload[R6Mail]")


def test_script_share():
    """IBM: 12 listed actions and a sixth of a memo in 15 minutes; Red Hat: 267 actions in 24 passes of six hours."""
    found = workload_scripts.script_share().set_index("run")
    mail = found.loc["ibm_330/results#1"]
    assert mail["operations_per_user_min"] == pytest.approx((12 + 15 / 90) / 15)
    assert mail["notesmark_per_user_tpm"] == pytest.approx(2917 / 2200)
    assert mail["ratio"] == pytest.approx(2917 / 2200 / 0.8111111, rel=1e-6)
    assert np.isnan(mail["counted_share_percent"])
    assert found.loc["ibm_330/results#2", "operations_per_iteration"] == pytest.approx(20 + 15 / 90)
    late = found.loc["rhel5/results#value_1200_users"]
    assert late["counted_share_percent"] == pytest.approx(100 * 118 / 1200 / (267 / 360))
    other = found[found["source"] == "compaq_domino45"]
    assert other["ratio"].isna().all()
    assert other["reason"].str.startswith("Cannot tell").all()
    assert len(other) == 21


def test_rows_keep_their_numbers_where_others_are_left_out():
    """Without users, without a CPU, of another workload: what is told of a row names the row that was given."""
    columns = ["operating_system", "workload", "domino_release", "users", "cpu_utilization_percent", "response_s"]
    cells = [("AIX", "a", "6", np.nan, 9, 1), ("AIX", "b", "6", 10, 9, 1), ("AIX", "b", "6", 20, 0, 1)]
    frame = pd.DataFrame([*cells, ("AIX", "b", "6", 30, 50, 1)], columns=columns)
    assert demand(frame)["run"].tolist() == ["row 2", "row 4"]
    assert censored(frame)["run"].tolist() == ["row 2", "row 3", "row 4"]
    assert factor_model("users", "response_s", frame, where={"workload": "b"}).rows["run"].tolist() == [
        "row 2", "row 3", "row 4",
    ]  # fmt: skip
    assert capacity_observations(frame, ours=False).rows["run"].unique().tolist() == ["row 2", "row 3", "row 4"]
    with pytest.raises(BadTable, match=r"predict\(frame\), row 2, column processors: .* found 'two'"):
        model().predict(pd.DataFrame({"processors": [1, "two"], "workload": "Mail"}, index=[7, 3]))


def test_errors_teach():
    """Where, expected, found, remedy."""
    with pytest.raises(UnknownName, match="Did you mean users"):
        factor_model("user")
    with pytest.raises(UnknownName, match="Did you mean processors"):
        model(factors=("processor",))
    with pytest.raises(UnknownName, match="robust"):
        model(robust="HC1")
    with pytest.raises(UnknownName, match="column of factor_model"):
        model(where={"platform": "AIX"})
    for workloads in ("Hub", ["Mail", "Hub"]):
        with pytest.raises(UnknownName, match=r"\(where=...\), workload: .* found 'Hub'\. .*Values are .*Mail"):
            model(where={"workload": workloads})
    with pytest.raises(CannotFit, match="different factors, found users, the response itself"):
        model(factors=("users",))
    with pytest.raises(CannotFit, match="different factors"):
        model(factors=())
    with pytest.raises(CannotFit, match=r"row 3: expected processors above zero, found 0\."):
        model(simple(processors=[1.0, 2, 0, 8, 1, 2, 4, 8]))
    with pytest.raises(BadTable, match="row 2, column processors: expected a number, found 'two'"):
        model(simple(processors=[1.0, "two", 4, 8, 1, 2, 4, 8]))
    with pytest.raises(UnknownName, match="processors"):
        model().predict(pd.DataFrame({"workload": ["Mail"]}))
    with pytest.raises(UnknownName, match="term"):
        model().describe("procesors")


def test_rows_that_are_left_out_are_counted():
    """A missing value names its column; the headline counts."""
    found = model(
        simple(workload=["", "Mail", "Mail", "Mail", *["DiscDB"] * 4], processors=[1, 2, 4, None, 1, 2, 4, 8])
    )
    assert found.dropped["reason"].tolist() == ["no workload", "no processors"]
    assert "6 of 8 rows" in found.headline()
    assert "1 (no workload)" in found.headline()


def test_summary_is_escaped():
    """A level from data is text on a page."""
    page = model(simple(workload=["<b>"] * 4 + ["DiscDB"] * 4))._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "processors" in repr(model())


def test_far_combinations_start_at_the_largest_leverage():
    """Every factor inside its range: flagged exactly where the leverage exceeds that of every row."""
    frame = simple(ram_mb=[256.0, 512, 1024, 2048, 300, 600, 1100, 2100])
    asked = pd.DataFrame({"processors": 2.0, "ram_mb": np.linspace(450, 1200, 40), "workload": "Mail"})

    def code(rows):
        return np.column_stack([np.ones(len(rows)), np.log(rows[["processors", "ram_mb"]]), rows["workload"] == "Mail"])

    X, new = code(frame).astype(float), code(asked).astype(float)
    own, ahead = (np.einsum("ij,jk,ik->i", each, np.linalg.inv(X.T @ X), each) for each in (X, new))
    share = ahead / own.max()
    assert share.min() < 1 < share[share > 1].min() < 3
    found = model(frame, ("processors", "ram_mb", "workload")).predict(asked)
    assert found["extrapolated"].tolist() == (share > 1).tolist()


FACTORS = pd.DataFrame(
    {
        "users": [1000, 1440, 2000, 390, 560, 810.0],
        "processors": [1, 2, 4, 1, 2, 4],
        "operating_system": ["AIX"] * 3 + ["Linux"] * 3,
        "cpu_utilization_percent": [50, 60, 80, 40, 45, 70.0],
    }
)


def test_a_factor_model_in_words():
    """The rows that are missing, which errors, what to beware of; a term with its interval and baseline."""
    frame = pd.concat([FACTORS, FACTORS.iloc[[0, 1, 2]].assign(processors=[np.nan, np.nan, 1], users=[1, 2, np.nan])])
    found = factor_model("users", ["processors", "operating_system"], frame.reset_index(drop=True), level=0.9)
    no_ranking = (
        " Platforms are not ranked: each was tested on other hardware, so a ratio between two of them is one between"
        " whole systems."
    )
    assert found.headline() == (
        "Least squares of ln(users) on processors, operating_system: 6 of 9 rows, 3 terms, 3 dof."
        f" Left out: 2 (no processors); 1 (no users). Errors: HC3.{no_ranking}"
    )
    times = "operating_system[Linux] 0.395 times that of AIX (90 % interval 0.378 to 0.411)."
    assert found.describe("operating_system[Linux]") == times + no_ranking
    assert found.describe("processors") == "processors 0.514 (90 % interval 0.471 to 0.556)"
    two = factor_model("users", "operating_system", FACTORS.iloc[[0, 3]])
    assert two.describe("intercept") == (
        "intercept 1,000 (no interval: as many terms as rows: no residual degree of freedom)"
    )
    assert "No errors: as many terms as rows: no residual degree of freedom." in two.headline()
    assert "Errors: classical." in factor_model("users", "processors", FACTORS, robust="none").headline()


def test_costs_and_rows_of_a_factor_model():
    """Percent per 1,000 users; of nobody no cost; a list of values that a column may have."""
    frame = pd.concat([FACTORS, FACTORS.iloc[[5]].assign(users=0)], ignore_index=True)
    found = factor_model("cpu_per_user", "processors", frame)
    assert found.rows["cpu_percent_per_1000_users"].tolist() == pytest.approx(
        (1000 * FACTORS["cpu_utilization_percent"] / FACTORS["users"]).tolist()
    )
    assert found.dropped.to_numpy().tolist() == [["row 7", "no cpu_per_user"]]
    assert found.tidy()["unit"].tolist() == ["percent/kilouser", "1"]
    assert factor_model("users", "processors", FACTORS).tidy()["unit"].tolist() == ["user", "1"]
    some = factor_model("users", "processors", FACTORS, where={"processors": [1, 2], "operating_system": "AIX"})
    assert some.rows["run"].tolist() == ["row 1", "row 2"]
    with pytest.raises(BadTable, match=r"factor_model\(where=...\): expected a dict of column to value, found 'AIX'"):
        factor_model("users", "processors", FACTORS, where="AIX")
    with pytest.raises(UnknownName, match=r"predict\(frame\).*The model's factors are processors"):
        found.predict(FACTORS.drop(columns="processors"))
    with pytest.raises(CannotFit, match=r"factor_model\(data=...\), row 3: expected users above zero, found -5\."):
        factor_model("users", "processors", FACTORS.assign(users=[10, 20, -5, 4, 3, 2]))
    with pytest.raises(CannotFit, match=r"found 1 of 6\. Name fewer factors, other rows, .*; processors were"):
        factor_model("users", "processors", FACTORS.assign(users=[10, *[np.nan] * 5]))


def test_empty_cells_of_a_number_are_missing():
    """As text, as a file has them: the rows are left out, and named."""
    frame = FACTORS.assign(processors=["1", "2", "4", "", "2", "4"])
    found = factor_model("users", "processors", frame)
    assert found.dropped.to_numpy().tolist() == [["row 4", "no processors"]]


def test_errata_travel_with_what_is_computed():
    """Those of the columns that are used, of a model, a cost and a demand; of another column none."""
    frame = pd.DataFrame({"users": [100, 200, 400], "processors": [1, 2, 4], "cpu_utilization_percent": [10, 30, 70.0]})
    frame = frame.assign(operating_system="AIX", workload="w", domino_release="6", ram_mb=[1, 3, 2.0])
    wrong = [errata_of(benchmarks())[0]._replace(column=name, name=name, run="") for name in frame]
    frame = attach_errata(frame, wrong)
    columns = lambda found: {erratum.name for erratum in errata_of(found)}  # noqa: E731
    assert columns(added_demand(frame)) == {"users", "cpu_utilization_percent"}
    assert columns(factor_model("users", "processors", frame).rows) == {"users", "processors"}
    used = {"operating_system", "workload", "domino_release", "users", "cpu_utilization_percent", "processors"}
    assert columns(demand(frame)) == used
    tasks = frame.assign(workstations=[1, 2, 3], response_s=1.0, factor="x")
    assert columns(task_demand(tasks)) == {"workload", "cpu_utilization_percent"}


def orders(index=None):
    """Six loads of two workloads on one to four processors, of two tiers; the last row has no users."""
    columns = {"users": [1000, 1900, 3500, 410, 770, 1400, np.nan], "processors": [1, 2, 4, 1, 2, 4, 1]}
    columns |= {"workload": ["mail"] * 3 + ["calendar"] * 3 + ["mail"], "tier": [*"aabbab", "c"]}
    return pd.DataFrame(columns, index)


@pytest.mark.parametrize("index", [list("abcdefg"), [3, 3, 9, 8, 8, 0, 1]])
def test_residuals_and_forecasts_have_the_index_of_the_frame(index):
    """Without the rows that were left out; a forecast has one for each row."""
    rows = orders(index)
    model = factor_model("users", ["processors", "workload"], rows)
    assert model.augment().index.tolist() == index[:-1]
    assert model.augment()["observed"].tolist() == rows["users"].tolist()[:-1]
    assert model.predict(rows).index.tolist() == index
