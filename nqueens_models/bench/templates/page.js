"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const hidden = new Set();
  const PAGE = 50;
  let first = 0;

  /* Sorting: numbers by data-value, empty cells last in both directions. */
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value ?? cell.textContent.trim();
  };
  const compare = (numeric, down) => (a, b) => {
    if (a.value === "" || b.value === "") return (a.value === "") - (b.value === "");
    const order = numeric ? Number(a.value) - Number(b.value) : a.value.localeCompare(b.value, "en", {numeric: true});
    return down ? -order : order;
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const button of table.querySelectorAll("button.sort")) {
      button.addEventListener("click", () => {
        const heading = button.closest("th");
        const down = heading.getAttribute("aria-sort") === "ascending";
        for (const other of table.querySelectorAll("th[aria-sort]")) other.setAttribute("aria-sort", "none");
        heading.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = table.tBodies[0];
        const rows = [...body.rows].map((row) => ({row, value: valueOf(row, heading.cellIndex)}));
        rows.sort(compare("numeric" in button.dataset, down));
        body.append(...rows.map((item) => item.row));
      });
    }
  }

  /* Filtering: contenders everywhere, the other filters in results and runs. */
  const wanted = (contender, text, group, verdict) => {
    const words = byId("search").value.toLowerCase().split(/\s+/);
    return !hidden.has(contender)
      && words.every((word) => text.toLowerCase().includes(word))
      && ["", group].includes(byId("group").value)
      && ["", verdict].includes(byId("verdict-filter").value);
  };
  const groups = new Map();
  for (const row of byId("cells").tBodies[0].rows) groups.set(row.cells[0].textContent, row.dataset.group);

  const apply = () => {
    let shown = 0;
    const rows = byId("cells").tBodies[0].rows;
    for (const row of rows) {
      const text = `${row.cells[0].textContent} ${row.cells[1].textContent}`;
      row.hidden = !wanted(Number(row.dataset.contender), text, row.dataset.group, row.dataset.verdict);
      shown += !row.hidden;
    }
    byId("shown").textContent = `${shown} of ${rows.length} cells`;
    for (const row of document.querySelectorAll("#standings tr[data-contender], #plots tr[data-contender]")) {
      row.hidden = hidden.has(Number(row.dataset.contender));
    }
    for (const series of document.querySelectorAll('[class*="series-of-"]')) {
      const number = Number(series.getAttribute("class").match(/series-of-(\d+)/)[1]);
      series.classList.toggle("off", hidden.has(number));
    }
    first = 0;
    showRuns();
  };
  const toggles = [...document.querySelectorAll("button.toggle")];
  const press = (button, on) => {
    button.setAttribute("aria-pressed", String(on));
    hidden[on ? "delete" : "add"](Number(button.dataset.contender));
  };
  for (const button of toggles) {
    button.addEventListener("click", () => {
      press(button, button.getAttribute("aria-pressed") !== "true");
      apply();
    });
  }
  byId("all").addEventListener("click", () => { toggles.forEach((button) => press(button, true)); apply(); });
  byId("none").addEventListener("click", () => { toggles.forEach((button) => press(button, false)); apply(); });
  for (const event of ["input", "change"]) byId("filters").addEventListener(event, apply);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());

  /* Runs, a page at a time. */
  const three = (value) => (value >= 99.95 ? value.toFixed(0) : value.toPrecision(3));
  const seconds = (value) => {
    if (value === undefined) return "";
    if (value >= 0.9995) return `${three(value)} s`;
    return value >= 0.0009995 ? `${three(value * 1e3)} ms` : `${three(value * 1e6)} µs`;
  };
  const memory = (bytes) => {
    const size = bytes / 2 ** 20;
    return size < 1000 ? `${three(size)} MiB` : `${three(size / 1024)} GiB`;
  };
  const element = (name, text = "", className = "") => {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const details = (run) => {
    const list = element("dl");
    const add = (name, value) => {
      if (value === undefined || value === null || value === "") return;
      list.append(element("dt", name), element("dd", String(value)));
    };
    add("verdict", data.reasons[run.reason]);
    add("detail", run.detail);
    add("seconds", Object.entries(run.seconds).map(([name, value]) => `${name} ${value}`).join("   "));
    add("first solution", run.first && `${run.first} s`);
    add("solutions", run.solutions);
    add("against the rules", run.wrong);
    add("witness", run.witness && run.witness.join(" "));
    add("fingerprint", run.fingerprint);
    add("statistics", run.statistics && Object.entries(run.statistics).map(([name, value]) => `${name} ${value}`).join("   "));
    add("began", `${run.began}, load ${run.load ?? "unknown"}, ${run.pinned ? "core " + run.pinned.join(", ") : "not pinned"}`);
    add("session", data.sessions[run.session]);
    add("printed", run.output);
    const row = element("tr", "", "more");
    const cell = element("td");
    cell.colSpan = 10;
    cell.append(list);
    row.append(cell);
    return row;
  };
  const runRow = (run) => {
    const row = element("tr", "", "run");
    const name = element("td");
    const button = element("button", data.cases[run.case]);
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    name.append(button);
    const verdict = data.verdicts[run.verdict];
    const last = element("td");
    last.append(element("span", verdict, `verdict ${verdict.replace(" ", "-")}`));
    row.append(
      name, element("td", data.contenders[run.contender]), element("td", run.repetition + 1, "number"),
      element("td", data.statuses[run.status]), element("td", seconds(run.seconds.build), "number"),
      element("td", seconds(run.seconds.solve), "number"), element("td", seconds(run.seconds.total), "number"),
      element("td", seconds(run.cpu), "number"), element("td", memory(run.memory), "number"), last,
    );
    row.addEventListener("click", () => {
      const open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      if (open) row.nextElementSibling.remove();
      else row.after(details(run));
    });
    return row;
  };
  const showRuns = () => {
    const chosen = data.runs.filter((run) => {
      const name = data.cases[run.case];
      return wanted(run.contender, `${name} ${data.contenders[run.contender]}`, groups.get(name), data.verdicts[run.verdict]);
    });
    const page = chosen.slice(first, first + PAGE);
    byId("run-table").tBodies[0].replaceChildren(...page.map(runRow));
    byId("page").textContent = chosen.length ? `${first + 1}–${first + page.length} of ${chosen.length}` : "none";
    byId("previous").disabled = first === 0;
    byId("next").disabled = first + PAGE >= chosen.length;
  };
  byId("previous").addEventListener("click", () => { first -= PAGE; showRuns(); });
  byId("next").addEventListener("click", () => { first += PAGE; showRuns(); });
  apply();
})();
