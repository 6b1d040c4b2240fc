import { html } from 'htm/preact';
import type { RefObject, TargetedEvent, VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { LineChart } from '../chart/line-chart.ts';
import { pngOf } from '../chart/picture.ts';
import type { AskedParams, PageContext } from '../page-service.ts';
import { commandLine } from '../state.ts';

/** Data on show, with its command and its address in the service. */
export type DataSource = {
  readonly name: string;
  readonly words: readonly string[];
  readonly path: string;
  readonly params: AskedParams;
  readonly file: string;
};

type DataRowProps = {
  readonly context: PageContext;
  readonly sources: readonly DataSource[];
  /** The chart of the data, to save as it is on the page. */
  readonly drawn?: RefObject<LineChart>;
};

/** Shows buttons that copy the command of the data, and save the bytes that it writes, and the picture. */
export function DataRow({ context, sources, drawn }: DataRowProps): VNode {
  const { service, connection } = context;
  const [said, setSaid] = useState('');
  const [chosen, setChosen] = useState(0);
  const code = useRef<HTMLElement>(null);
  const source = sources[chosen] ?? sources[0];
  if (source === undefined) return html`<p />`;
  const { name, words, path, params, file } = source;
  const command = commandLine(words, { ...flagsOf(params), ...connection });
  const attempt = (task: () => Promise<string>) => {
    setSaid('');
    const failed = (error: unknown) => `Not done: ${error instanceof Error ? error.message : String(error)}`;
    void task().catch(failed).then(setSaid);
  };
  /** Browsers offer the clipboard only to HTTPS and this machine, and may refuse it; then a key copies. */
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command);
      return 'The command is copied.';
    } catch {
      if (code.current !== null) getSelection()?.selectAllChildren(code.current);
      return 'The command is selected: copy it with Ctrl-C or ⌘C.';
    }
  };
  const saveCsv = async () => saveBlob(await service.csv(path, params), `${file}.csv`);
  const savePicture = async (kind: 'svg' | 'png') => {
    const svg = new Blob([drawn?.current?.picture() ?? ''], { type: 'image/svg+xml' });
    return saveBlob(kind === 'svg' ? svg : await pngOf(svg), `${sources[0]?.file}.${kind}`);
  };
  const choose = ({ currentTarget }: TargetedEvent<HTMLSelectElement>) =>
    setChosen(currentTarget.selectedIndex);
  const save = (text: string, label: string, task: () => Promise<string>) => html`
    <button type="button" aria-label=${label} onClick=${() => attempt(task)}>${text}</button>`;
  return html`
    <div class="data">
      <div class="buttons">
        ${
          sources.length > 1 &&
          html`
            <select aria-label="Data" onChange=${choose}>
              ${sources.map((one, i) => html`<option selected=${i === chosen}>${one.name}</option>`)}
            </select>`
        }
        ${save('Copy command', `Copy command of ${name}`, copy)}
        ${save('CSV', `CSV of ${name}`, saveCsv)}
        ${drawn && save('SVG', `SVG of ${sources[0]?.name}`, () => savePicture('svg'))}
        ${drawn && save('PNG', `PNG of ${sources[0]?.name}`, () => savePicture('png'))}
        <code tabindex="0" ref=${code}>${command}</code>
      </div>
      <p role="status" class="note">${said}</p>
    </div>`;
}

function flagsOf(params: AskedParams): { readonly [flag: string]: string | undefined } {
  const flags = Object.entries(params).map(([name, value]) => {
    // The ids of a request are words of its command.
    if (name === 'ids') return ['--ids', undefined];
    if (name === 'release') return ['--first-release', value === undefined ? undefined : ''];
    if (name === 'curve_type') return ['--type', value === 'TIPS' ? 'tips' : undefined];
    return [`--${name.replaceAll('_', '-')}`, value];
  });
  return Object.fromEntries(flags);
}

function saveBlob(blob: Blob, name: string): string {
  const href = URL.createObjectURL(blob);
  // Browsers replace characters that some systems forbid in different ways.
  const download = name.replace(/[<>:"/\\|?*]/g, '-');
  Object.assign(document.createElement('a'), { href, download }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
  return '';
}
