import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';

type DataTableProps = {
  readonly caption: string;
  readonly heads: readonly string[];
  /** The heads of columns of text. Default: the first one. */
  readonly words?: readonly string[];
  readonly rows: number;
  readonly cellsOf: (row: number) => readonly string[];
  readonly onOpen?: (firstCell: string) => void;
};

const firstRows = 60;

/** Shows a table of any length, in a box that scrolls. */
export function DataTable(props: DataTableProps): VNode {
  const { caption, heads, words = heads.slice(0, 1), rows, cellsOf, onOpen } = props;
  const [most, setMost] = useState(firstRows);
  const kinds = heads.map((head) => (words.includes(head) ? undefined : 'number'));
  const row = (_: unknown, i: number) => html`<${TableRow} ...${{ kinds, onOpen }} cells=${cellsOf(i)} />`;
  return html`
    <div class="long">
      <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
        <table>
          <caption>${caption}</caption>
          <thead>
            <tr>${heads.map((head, i) => html`<th scope="col" class=${kinds[i]}>${head}</th>`)}</tr>
          </thead>
          <tbody>${Array.from({ length: Math.min(rows, most) }, row)}</tbody>
        </table>
      </div>
      <button type="button" hidden=${rows <= most} onClick=${() => setMost(Number.POSITIVE_INFINITY)}>
        Show all ${rows} rows
      </button>
    </div>`;
}

type TableRowProps = Pick<DataTableProps, 'onOpen'> & {
  readonly kinds: readonly (string | undefined)[];
  readonly cells: readonly string[];
};

/** Shows a row; while a slider moves, most rows have the same cells as before. */
function TableRow({ kinds, cells, onOpen }: TableRowProps): VNode {
  return useMemo(() => {
    const [first = '', ...others] = cells;
    const head = html`<button type="button" class="link" onClick=${() => onOpen?.(first)}>${first}</button>`;
    return html`
      <tr>
        <th scope="row">${onOpen === undefined ? first : head}</th>
        ${others.map((text, j) => html`<td class=${kinds[j + 1]}>${text}</td>`)}
      </tr>`;
  }, cells);
}
