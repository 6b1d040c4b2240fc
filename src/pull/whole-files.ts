import { createHash } from 'node:crypto';
import type { HttpReply } from '../client/remote/transport.ts';
import { sourceNamesIn } from '../domain/series/publishers.ts';
import type { Statement } from '../domain/series/statements.ts';
import type { Day } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import { refusal, type SourceFile } from '../import/files/source-file.ts';
import type { Batch, ImportFormat } from '../import/formats/format.ts';
import { recognise } from '../import/formats/recognise.ts';
import { ImportRefusal } from '../import/load/conflict.ts';
import type { Series } from '../store/store.ts';

/** Tells whether a reply is a web page, which servers send for files that they do not have. */
export function isPage({ status, headers, body }: HttpReply): boolean {
  if (status === 404 || /\bhtml\b/i.test(headers['content-type'] ?? '')) return true;
  return /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|\?xml)/i.test(body.toString('latin1', 0, 200));
}

/** Says that an answer is not the wanted file, which counts as a transient failure. */
export function otherAnswer(title: string, wanted: string, reply: HttpReply): Problem {
  if (!isPage(reply)) {
    const detail = `the answer of ${title} is not ${wanted}; asof cannot read it, and stored nothing from it`;
    return new Problem('bad-answer', detail);
  }
  const detail = `${title} answered with a web page in place of ${wanted}: ${reply.url}; asof stored nothing from it`;
  return new Problem('bad-answer', detail, {
    hints: [
      'pull again later: a page can come in an outage',
      'if the page stays, the file has moved: a newer asof may find it, and asof import FILE reads a downloaded one',
    ],
  });
}

/** Returns the SHA-256 of an answer or its figures, in hex: most servers state neither its version nor its time. */
export function hashOf(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The content of a file, read as a whole before anything of it is stored. */
export type WholeFile = {
  readonly file: SourceFile;
  readonly format: ImportFormat;
  readonly batches: readonly Batch[];
};

/** Reads a file as a whole; throws a refusal for a file of another format, and for what the format cannot read. */
export async function readWhole(
  file: SourceFile,
  format: ImportFormat,
  options: Parameters<ImportFormat['read']>[1] = {},
): Promise<WholeFile> {
  const { kind } = await recognise(file);
  if (kind !== format.kind) throw refusal(file, {}, `it looks like ${kind}, not like ${format.kind}`);
  const batches: Batch[] = [];
  for await (const batch of format.read(file, options)) batches.push(batch);
  return { file, format, batches };
}

/** Returns the file without the statements of some series and vintages. */
export function partOf(whole: WholeFile, keeps: (seriesId: string, asOf: Day) => boolean): WholeFile {
  const batches = whole.batches.map(({ statements = [], coverage = [], implied = [], ...rest }) => {
    const kept = coverage.filter(({ seriesId, coveredTo }) => keeps(seriesId, coveredTo));
    const ids = new Set(kept.map(({ seriesId }) => seriesId));
    return {
      ...rest,
      statements: statements.map((own) => own.filter(({ seriesId, asOf }) => keeps(seriesId, asOf))),
      coverage: kept,
      implied: implied.filter(({ seriesId }) => ids.has(seriesId)),
    };
  });
  return { ...whole, batches };
}

/** Lists the statements of batches. */
export function statementsIn(batches: readonly Batch[]): readonly Statement[] {
  return batches.flatMap(({ statements = [] }) => statements.flatMap((own) => [...own]));
}

/** Makes an input of a load of a file that is read already. */
export function inputOf({ file, format, batches }: WholeFile) {
  const read = async function* () {
    yield* batches;
  };
  return { file, format: { ...format, read } };
}

/** Lists the series of a file. */
export function seriesOf({ batches }: WholeFile): readonly string[] {
  return [...new Set(batches.flatMap(({ coverage = [] }) => coverage.map(({ seriesId }) => seriesId)))];
}

/** Throws the conflict of a series that the store has from another source. */
export async function refuseForeign(
  seriesId: string,
  source: string,
  find: (seriesId: string) => Promise<Pick<Series, 'publishers'> | undefined>,
): Promise<void> {
  const held = (await find(seriesId))?.publishers ?? '';
  if (held !== '' && !sourceNamesIn(held).includes(source))
    throw new ImportRefusal([{ kind: 'source', seriesId, held: [held], given: [source] }]);
}
