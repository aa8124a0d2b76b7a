"use strict";
(() => {
  const $ = (selector, inside = document) => inside.querySelector(selector);
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (text, wanted) => { const low = text.toLowerCase(); return wanted.every((word) => low.includes(word)); };
  // every text of the data goes through textContent, so that none of it is ever markup
  const make = (tag, text = "", className = "") => {
    const made = document.createElement(tag);
    if (text !== "") { made.textContent = text; made.dir = "auto"; }
    if (className) made.className = className;
    return made;
  };

  // ---- tables: sorted by a button in each head, filtered by words
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.sort !== undefined ? cell.dataset.sort : cell.textContent.trim();
  };
  const number = (text) => (text === "" || Number.isNaN(Number(text)) ? null : Number(text));
  const byColumn = (column, figures, sign) => (a, b) => {
    const one = valueOf(a, column), other = valueOf(b, column);
    if (!figures) return sign * one.localeCompare(other, undefined, { numeric: true });
    const x = number(one), y = number(other);
    if (x === null || y === null) return (x === null) - (y === null);
    return sign * (x - y);
  };
  const makeSortable = (table) => {
    const heads = all("thead th", table);
    heads.forEach((head, column) => {
      const button = make("button", head.textContent);
      button.type = "button";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const figures = head.dataset.figures === "1";
        const before = head.getAttribute("aria-sort");
        const down = before ? before === "ascending" : figures;
        const body = table.tBodies[0];
        const sorted = [...body.rows].sort(byColumn(column, figures, down ? -1 : 1));
        heads.forEach((one) => one.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        body.append(...sorted);
      });
    });
  };
  const makeFiltered = (input) => {
    const rows = [...document.getElementById(input.dataset.table).tBodies[0].rows];
    const status = $("[role=status]", input.parentElement);
    input.parentElement.hidden = false;
    input.addEventListener("input", () => {
      const wanted = words(input.value);
      rows.forEach((row) => { row.hidden = !holds(row.textContent, wanted); });
      status.textContent = wanted.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
    });
  };

  // ---- filters over the rows of every table that has facts
  const within = (text, range) => {
    if (!/^\d*-\d*$/.test(range) || range === "-") return text === range;
    const [low, high] = range.split("-"), value = text === "" ? null : Number(text);
    return value !== null && (low === "" || value >= Number(low)) && (high === "" || value <= Number(high));
  };
  const makeFilters = (form) => {
    const tables = all("table.chosen"), named = $("input[type=search]", form), status = $(".count", form);
    const passes = (row) => holds(row.cells[0].textContent, words(named.value))
      && all("select", form).every((one) => one.value === "" || within(row.dataset[one.dataset.fact] || "", one.value))
      && all("input[type=date]", form).every((one) => {
        const day = row.dataset[one.dataset.fact] || "";
        return one.value === "" || (day !== "" && (one.dataset.end === "from" ? day >= one.value : day <= one.value));
      });
    const apply = () => {
      const active = named.value.trim() !== "" || all("select, input[type=date]", form).some((one) => one.value !== "");
      tables.forEach((table) => {
        const rows = [...table.tBodies[0].rows];
        rows.forEach((row) => { row.hidden = !passes(row); });
        const left = rows.some((row) => !row.hidden);
        table.parentElement.hidden = !left;
        table.closest(".table").querySelector(".nothing").hidden = left;
      });
      $(".about", form).hidden = !active;
      count();
    };
    const count = () => {
      const page = $("section.page:not([hidden])"), seen = new Map();
      all("table.chosen tbody tr", page).forEach((row) => {
        const name = row.cells[0].textContent.trim();
        seen.set(name, seen.get(name) || !row.hidden);
      });
      form.hidden = !seen.size;
      const left = [...seen.values()].filter(Boolean).length;
      const told = `${left} of ${seen.size} ${status.dataset.rows}${left ? "" : ": none passes the filters"}`;
      if (status.textContent !== told) status.textContent = told;
    };
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(apply)); // when the fields are empty
    apply();
    return count;
  };
  let counted = () => {};

  // ---- data: gzip in base64, unpacked when it is first looked at
  const unpacked = new Map();
  const data = (name) => {
    if (!unpacked.has(name)) {
      const bytes = Uint8Array.from(atob(document.getElementById(name).textContent), (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      unpacked.set(name, new Response(stream).json());
    }
    return unpacked.get(name);
  };
  const spread = (values) => {
    const known = values.filter((one) => one !== null);
    return known.length ? Math.max(...known) - Math.min(...known) : 0;
  };
  const worst = (values) => Math.min(...values.map((one) => (one === null ? 2 : one)));
  const ORDERS = {
    spread: null, // as they come
    worst: (a, b) => worst(a.v) - worst(b.v),
    id: (a, b) => a.i.localeCompare(b.i, undefined, { numeric: true }),
  };

  // ---- one browser of queries for each dataset
  class Browser {
    constructor(root) {
      this.root = root;
      this.section = root.closest("section");
      this.list = $(".list", root);
      this.panel = $(".query", root);
      this.order = $("select", root);
      this.filter = $("input", root);
      this.loaded = null;
      this.order.addEventListener("change", () => this.draw());
      this.filter.addEventListener("input", () => this.draw());
      this.list.addEventListener("keydown", (event) => this.move(event));
    }
    async load() {
      if (!this.loaded) {
        this.loaded = data(this.root.dataset.source).then((found) => {
          this.data = found;
          $(".browser", this.root).hidden = false;
          this.draw();
        });
      }
      return this.loaded;
    }
    draw() {
      const wanted = words(this.filter.value), compare = ORDERS[this.order.value];
      let queries = this.data.queries.filter((one) => holds(`${one.i} ${one.t}`, wanted));
      if (compare) queries = [...queries].sort(compare);
      this.shown = queries;
      this.list.replaceChildren(...queries.map((one) => {
        const item = make("li"), button = make("button", one.t || one.i);
        button.type = "button";
        button.dataset.query = one.i;
        if (one.i === this.chosen) button.setAttribute("aria-current", "true");
        button.append(make("span", `${one.i} · spread ${spread(one.v).toFixed(3)}`, "hint"));
        button.addEventListener("click", () => { location.hash = this.address(one.i); });
        item.append(button);
        return item;
      }));
      $(".count", this.root).textContent = `${queries.length} of ${this.data.queries.length} queries`;
    }
    address(id) { return `${this.section.id}/${encodeURIComponent(id)}`; }
    move(event) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const buttons = all("button", this.list), at = buttons.indexOf(document.activeElement);
      if (!step || at < 0) return;
      event.preventDefault();
      const next = buttons[Math.max(0, Math.min(buttons.length - 1, at + step))];
      next.focus();
    }
    step(by) {
      const at = this.shown.findIndex((one) => one.i === this.chosen);
      const next = this.shown[Math.max(0, Math.min(this.shown.length - 1, at + by))];
      if (next) location.hash = this.address(next.i);
    }
    show(id) {
      const query = this.data.queries.find((one) => one.i === id);
      if (!query) return;
      this.chosen = id;
      all("button", this.list).forEach((button) => {
        if (button.dataset.query === id) { button.setAttribute("aria-current", "true"); button.scrollIntoView({ block: "nearest" }); }
        else button.removeAttribute("aria-current");
      });
      const grades = new Map(query.r);
      this.panel.replaceChildren(
        make("h3", `Query ${query.i}`), ...(query.t ? [make("p", query.t, "text")] : []),
        this.steps(), make("h4", `Relevant documents: ${query.r.filter((one) => one[1] > 0).length}`), this.documents(query.r.filter((one) => one[1] > 0).map((one) => one[0]), grades),
        this.systems(query, grades),
      );
    }
    steps() {
      const row = make("p");
      [["Previous (p)", -1], ["Next (n)", 1]].forEach(([label, by]) => {
        const button = make("button", label);
        button.type = "button";
        button.addEventListener("click", () => this.step(by));
        row.append(button, " ");
      });
      return row;
    }
    systems(query, grades) {
      const grid = make("div", "", "systems");
      const order = this.data.systems.map((_, at) => at).sort((a, b) => (query.v[b] ?? -1) - (query.v[a] ?? -1));
      order.forEach((at) => {
        const part = make("div"), value = query.v[at];
        part.append(make("h4", `${this.data.systems[at]}: ${value === null ? "–" : value.toFixed(4)}`));
        part.append(query.k[at].length ? this.documents(query.k[at], grades) : make("p", "returned nothing", "hint"));
        grid.append(part);
      });
      return grid;
    }
    documents(places, grades) {
      const list = make("ol", "", "ranking");
      places.forEach((place) => {
        const [id, title, text] = this.data.docs[place], grade = grades.get(place);
        const item = make("li", "", grade > 0 ? "relevant" : "");
        item.append(make("span", id, "id"));
        if (grade !== undefined) item.append(" ", make("span", grade > 0 ? `relevant, grade ${grade}` : `judged ${grade}`, "grade"));
        if (title && title !== id) item.append(" ", make("span", title));
        if (text) item.append(make("span", text, "snippet"));
        list.append(item);
      });
      return list;
    }
  }

  // ---- one section at a time, by the address behind #
  const pages = all("section.page"), sections = pages.filter((one) => one.id !== "found");
  const browsers = new Map(all(".queries").map((root) => [root.closest("section").id, new Browser(root)]));
  const open = (id) => {
    pages.forEach((page) => { page.hidden = page.id !== id; });
    all("nav a").forEach((link) => {
      if (link.getAttribute("href") === `#${id}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    });
    counted();
  };
  let current = "";
  const follow = async () => {
    const [id, query] = location.hash.slice(1).split("/");
    if (id === "main") { $("#main").focus(); return; }
    const page = sections.find((one) => one.id === id) || sections[0];
    const moved = page.id !== current;
    current = page.id;
    open(page.id);
    const browser = browsers.get(page.id);
    if (browser) {
      await browser.load();
      if (current !== page.id) return;
      if (query !== undefined) { browser.show(decodeURIComponent(query)); browser.panel.scrollIntoView({ block: "nearest" }); }
    }
    if (moved && location.hash && query === undefined) { window.scrollTo(0, 0); $("h2", page).focus({ preventScroll: true }); }
  };

  // ---- search over systems, sections and queries
  const find = $("#find"), FEW = 100;
  const entries = async () => {
    const found = sections.map((page) => [$("h2", page).textContent, `#${page.id}`, "section"]);
    const seen = new Set();
    all("main table tbody tr").forEach((row) => {
      const id = row.closest("section").id, text = row.cells[0].textContent.trim(), key = `${id} ${text}`;
      if (!seen.has(key)) { seen.add(key); found.push([text, `#${id}`, $(`#${id} h2`).textContent]); }
    });
    for (const browser of browsers.values()) {
      await browser.load();
      browser.data.queries.forEach((one) => found.push([`${one.i} ${one.t}`, `#${browser.address(one.i)}`, `query, ${$("h2", browser.section).textContent}`]));
    }
    return found;
  };
  let known = null, asked = 0;
  const search = async () => {
    const wanted = words(find.value), turn = ++asked;
    if (!wanted.length) { follow(); return; }
    known = known || entries();
    const found = (await known).filter((one) => holds(one[0], wanted));
    if (turn !== asked) return;
    current = "";
    open("found");
    $("#found-count").textContent = `${found.length} found${found.length > FEW ? `, the first ${FEW} are shown` : ""}`;
    $("#found-list").replaceChildren(...found.slice(0, FEW).map(([text, href, where]) => {
      const item = make("li"), link = make("a", text);
      link.href = href;
      link.addEventListener("click", () => { find.value = ""; if (location.hash === href) setTimeout(follow); });
      item.append(link, " ", make("span", where, "hint"));
      return item;
    }));
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      if (event.key === "Escape" && document.activeElement === find) { find.value = ""; search(); }
      return;
    }
    const browser = browsers.get(current);
    if (event.key === "/") { event.preventDefault(); find.focus(); }
    else if (browser && browser.data && (event.key === "n" || event.key === "p")) browser.step(event.key === "n" ? 1 : -1);
  });
  all("main table").forEach(makeSortable);
  all(".filter input").forEach(makeFiltered);
  if ($("#filters")) counted = makeFilters($("#filters"));
  $("#search").hidden = false;
  find.addEventListener("input", search);
  window.addEventListener("hashchange", follow);
  window.addEventListener("beforeprint", () => all("details").forEach((one) => { one.dataset.was = one.open ? "1" : ""; one.open = true; }));
  window.addEventListener("afterprint", () => all("details").forEach((one) => { one.open = one.dataset.was === "1"; }));
  follow();
})();
