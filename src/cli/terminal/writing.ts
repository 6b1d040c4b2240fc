import { setImmediate as turn } from 'node:timers/promises';
import type { Envelope } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import { selectColumns } from '../../render/columns.ts';
import { createRenderer } from '../../render/formats.ts';
import { type Chunk, endChunks, type Renderer } from '../../render/renderer.ts';
import type { OutputChoice } from '../options/flags.ts';
import type { Picture } from '../options/plot.ts';
import type { Talk } from './messages.ts';
import type { Sink } from './sink.ts';

/** A table on a terminal shows this many rows unless more are asked for. */
const screenful = 100;

/** An output in the making: the chunks of pages, up to a number of rows, and the count of what is left out. */
export type Writing = {
  /** One more page, without the rows that there is no room for. */
  readonly page: (page: Envelope) => Chunk;
  /** What completes it. */
  readonly end: () => Iterable<Chunk>;
  readonly rows: () => number;
  /** The rows that there was no room for. */
  readonly hidden: () => number;
  /** The columns that the terminal has no room for. */
  readonly dropped: () => readonly string[];
};

/** The renderer that the user chose, for rows of these fields and columns, or a picture of them. */
export async function rendererFor(
  output: OutputChoice,
  { fields, columns }: { readonly fields: readonly Field[]; readonly columns: readonly string[] },
  picture?: Picture,
): Promise<Renderer> {
  if (output.plot && picture !== undefined) {
    const { TextChartRenderer } = await import('../../render/chart/text/text.ts');
    return new TextChartRenderer(picture.drawing, picture.size, output.colour);
  }
  return createRenderer(output.format, {
    columns: selectColumns(fields, columns, output.columns),
    header: output.header,
    colour: output.colour,
    requestId: output.requestId,
    ...(output.width !== undefined && { width: output.width }),
    ...(picture !== undefined && { drawing: picture.drawing }),
  });
}

/** A new output; for a screen, of at most a screenful of rows. */
export function newWriting(renderer: Renderer, screen: boolean): Writing {
  const most = screen ? screenful : Number.POSITIVE_INFINITY;
  let [rows, hidden] = [0, 0];
  return {
    page(page) {
      const results = page.results.slice(0, most - rows);
      rows += results.length;
      hidden += page.results.length - results.length;
      const full = results.length === 0 && page.results.length > 0;
      return full ? '' : renderer.page({ ...page, results });
    },
    end: () => endChunks(renderer),
    rows: () => rows,
    hidden: () => hidden,
    dropped: () => renderer.dropped?.() ?? [],
  };
}

/** Writes what completes an output; between its chunks a signal is heard, and `told` hears how many bytes were written. */
export async function writeEnd(
  writing: Writing,
  sink: Sink,
  signal: AbortSignal,
  told: (bytes: number) => void = () => undefined,
): Promise<void> {
  let bytes = 0;
  for (const chunk of writing.end()) {
    if (bytes > 0) told(bytes);
    if (!(await sink.write(chunk))) return;
    bytes += chunk.length;
    await turn();
    signal.throwIfAborted();
  }
}

/** Says what the screen had no room for, and how to see more rows. */
export function tellWhatIsMissing(talk: Talk, writing: Writing, wayOut: string): void {
  const [dropped, hidden] = [writing.dropped(), writing.hidden()];
  if (dropped.length > 0)
    talk.warn(`asof: the terminal has no room for ${dropped.join(', ')}; --columns chooses`);
  if (hidden > 0)
    talk.warn(`asof: ${hidden.toLocaleString('en-US')} more ${hidden === 1 ? 'row' : 'rows'}; ${wayOut}`);
}
