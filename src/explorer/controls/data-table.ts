import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { decimalsOf } from '../../domain/values/decimal.ts';
import { grouped } from '../../errors/wording.ts';

/** A cell with a link out of the page, or a text. */
type TableCell = string | { readonly text: string; readonly href: string };

type DataTableProps = {
  readonly caption: string;
  readonly heads: readonly string[];
  /** The heads of columns of text. Default: the first one. */
  readonly words?: readonly string[];
  readonly rows: number;
  readonly cellsOf: (row: number) => readonly TableCell[];
  readonly onOpen?: (firstCell: string) => void;
};

const firstRows = 30;

/** Shows a table of any length, in a box that scrolls; numbers stand with their points below each other. */
export function DataTable(props: DataTableProps): VNode {
  const { caption, heads, words = heads.slice(0, 1), rows, cellsOf, onOpen } = props;
  const [most, setMost] = useState(firstRows);
  const all = Array.from({ length: Math.min(rows, most) }, (_, i) => cellsOf(i));
  const kinds = heads.map((head) => (words.includes(head) ? '' : 'number'));
  const decimals = kinds.map((kind, j) =>
    kind === '' ? -1 : all.reduce((found, cells) => Math.max(found, decimalsIn(cells[j])), 0),
  );
  return html`
    <div class="long">
      <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
        <table>
          <caption><span>${caption}</span></caption>
          <thead>
            <tr>${heads.map((head, j) => html`<th scope="col" class=${kinds[j]}>${head}</th>`)}</tr>
          </thead>
          <tbody>
            ${all.map((cells, i) => html`<${TableRow} key=${onOpen === undefined ? i : cells[0]} ...${{ cells, onOpen }} decimals=${decimals.join()} />`)}
          </tbody>
        </table>
      </div>
      <button type="button" hidden=${rows <= most} onClick=${() => setMost(Number.POSITIVE_INFINITY)}>
        Show all ${grouped(rows)} rows
      </button>
    </div>`;
}

function decimalsIn(cell: TableCell | undefined): number {
  return typeof cell === 'string' && /^-?[\d.]+$/.test(cell) ? decimalsOf(cell) : 0;
}

type TableRowProps = Pick<DataTableProps, 'onOpen'> & {
  readonly cells: readonly TableCell[];
  /** The most decimals of each column, -1 for texts. */
  readonly decimals: string;
};

/** Shows a row; while a slider moves, most rows have the same cells as before. */
function TableRow({ cells, decimals, onOpen }: TableRowProps): VNode {
  return useMemo(() => {
    const most = decimals.split(',').map(Number);
    const [first = '', ...others] = cells;
    const name = typeof first === 'string' ? first : first.text;
    const head = html`<button type="button" class="link" onClick=${() => onOpen?.(name)}>${name}</button>`;
    const body = others.map((cell, j) => {
      if (typeof cell !== 'string')
        return html`<td><a href=${cell.href} target="_blank" rel="noreferrer">${cell.text}</a></td>`;
      const column = most[j + 1] ?? -1;
      if (column < 0) return html`<td>${cell}</td>`;
      const missing = column - decimalsIn(cell);
      const point = missing === column ? 0.3 : 0;
      const style =
        missing > 0 && cell !== '' ? { paddingRight: `calc(12px + ${missing + point}ch)` } : undefined;
      return html`<td class="number" style=${style}>${/^-?[\d.]+$/.test(cell) ? grouped(cell) : cell}</td>`;
    });
    return html`<tr><th scope="row">${onOpen === undefined ? name : head}</th>${body}</tr>`;
  }, [decimals, ...cells.map((cell) => (typeof cell === 'string' ? cell : cell.href))]);
}
