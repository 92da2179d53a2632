// The figures of all steps so far, column by column, for the plots and the read-outs.
import type { SeriesChunk } from "./wire";

export class Series {
  private columns = new Map<string, number>();
  private data: Float64Array[] = [];
  private capacity = 0;
  length = 0;

  private faultNames: string[] = [];

  start(names: string[], faults: string[]): void {
    this.faultNames = faults;
    this.columns = new Map(names.map((name, i) => [name, i]));
    this.length = 0;
    this.capacity = 0;
    this.data = names.map(() => new Float64Array(0));
  }

  add(chunk: SeriesChunk): void {
    if (chunk.reset) this.length = 0;
    this.reserve(this.length + chunk.rows);
    for (let row = 0; row < chunk.rows; ++row) {
      for (let column = 0; column < chunk.columns; ++column) {
        this.data[column][this.length + row] = chunk.values[row * chunk.columns + column];
      }
    }
    this.length += chunk.rows;
  }

  private reserve(rows: number): void {
    if (rows <= this.capacity) return;
    this.capacity = Math.max(rows, this.capacity * 2, 1024);
    this.data = this.data.map((old) => {
      const wider = new Float64Array(this.capacity);
      wider.set(old.subarray(0, this.length));
      return wider;
    });
  }

  /** All values of a column; valid until rows are added. */
  column(name: string): Float64Array {
    return this.data[this.columns.get(name)!].subarray(0, this.length);
  }

  value(name: string, row: number): number {
    const column = this.columns.get(name);
    return column === undefined || row < 0 || row >= this.length ? NaN : this.data[column][row];
  }

  /** How far the promises of a step hold: the engine's own words. */
  status(row: number): string {
    return ["ok", "degraded", "failed"][this.value("status", row)] ?? "";
  }

  /** Why a step is not ok. */
  faults(row: number): string {
    const bits = this.value("faults", row);
    return this.faultNames.filter((_, i) => (bits >> i) & 1).join(", ");
  }

  /** The row of a moment: the last whose index is not beyond it; -1 before the first. */
  rowOf(index: number): number {
    if (this.length === 0) return -1;
    const indices = this.column("index");
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (indices[middle] <= index) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
