// A table that sorts by any column.
// Invariant: the first rows are shown, and a button shows more; sorting is over all rows.
import { type Amount, compare } from "./amounts.ts";
import { h } from "./dom.ts";

const PAGE = 200;

export interface Cell { sort: number | bigint | string; text: string; value?: string; exact?: string; bar?: number; tone?: string }
export interface Column { title: string; number: boolean }
export interface Line { cells: Cell[]; act?: () => void; chosen?: boolean }

export class Table {
  readonly element = h("div", { class: "table", tabindex: 0, role: "region", "aria-label": "Table" });
  private by: number;
  private descending = true;
  private shown = PAGE;
  private columns: Column[] = [];
  private lines: Line[] = [];

  constructor(by: number) {
    this.by = by;
  }

  show(columns: Column[], lines: Line[], label: string): void {
    this.columns = columns;
    this.lines = lines;
    this.element.setAttribute("aria-label", label);
    this.draw();
  }

  private draw(): void {
    const { by, descending } = this;
    const by_ = Math.min(by, this.columns.length - 1);
    const sorted = [...this.lines].sort((one, other) => {
      const [a, b] = [one.cells[by_].sort, other.cells[by_].sort];
      const order = typeof a === "string" ? a.localeCompare(String(b)) : compare(a, b as Amount);
      return descending ? -order : order;
    });
    const head = this.columns.map(({ title, number }, at) =>
      h("th", { scope: "col", class: number ? "number" : "", "aria-sort": at === by_ ? (descending ? "descending" : "ascending") : undefined },
        h("button", { type: "button" }, [title, h("span", { "aria-hidden": "true", class: "arrow" }, at === by_ ? (descending ? "▾" : "▴") : "")], {
          click: () => {
            this.descending = at === by_ ? !descending : number;
            this.by = at;
            this.draw();
          },
        })));
    const rows = sorted.slice(0, this.shown).map(({ cells, act, chosen }) =>
      h("tr", { class: chosen ? "chosen" : "" }, cells.map(({ text, value, exact, bar, tone }, at) => {
        const { number } = this.columns[at];
        const inner = act && at === 0 ? h("button", { type: "button", class: "link" }, text, { click: act }) : text;
        const cell = h("td", { class: [number ? "number" : "name", tone ?? ""].join(" ").trim(), title: exact }, value === undefined ? inner : h("data", { value }, inner));
        if (bar !== undefined) {
          const drawn = h("span", { class: "bar", "aria-hidden": "true" });
          drawn.style.width = `${Math.max(0, Math.min(1, bar)) * 72}px`;
          cell.prepend(h("span", { class: "bars" }, drawn));
        }
        return cell;
      })));
    const more = sorted.length - this.shown;
    this.element.replaceChildren(
      h("table", {}, [h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)]),
      ...(more > 0 ? [h("button", { type: "button", class: "more" }, `${more} more`, { click: () => { this.shown += 5 * PAGE; this.draw(); } })] : []),
      ...(sorted.length === 0 ? [h("p", { class: "empty" }, "Nothing here with these choices.")] : []),
    );
  }
}
