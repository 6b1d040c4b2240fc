import { utcDay } from '../../domain/series/date.ts';
import type { ImportProgress } from '../../import/import.ts';
import { defaultStorePath, storeToRead, storeToWrite } from '../config/places.ts';
import type { ImportLine, ImportLogLine } from '../options/line.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';
import { type Progress, progress } from '../terminal/progress.ts';
import { importReport } from './import-report.ts';

/** `asof import`: imports files and folders into the store, in one transaction. */
export async function runImport(line: ImportLine, io: Io): Promise<number> {
  const { kind, asOf, filedOn, series, rename, merge, replace, complete, withSample, dryRun } = line;
  const messages = messagesOf(line.messages, io);
  for (const flag of line.today) messages.detail(`asof: ${flag} today is ${utcDay(io.clock())}`);
  const store = storeToWrite(io, line.store);
  const progressLine = new ImportProgressLine(() => progress(io, line.messages.quiet));
  const { importFiles } = await import('../../import/import.ts');
  try {
    const { clock, signal } = io;
    const result = await importFiles(line.paths, {
      ...{ store, kind, asOf, filedOn, series, rename, merge, replace, complete, withSample, dryRun },
      clock,
      signal,
      onProgress: (done) => progressLine.show(done),
    });
    progressLine.clear();
    const replacesSample = !withSample && store === defaultStorePath(io);
    for (const text of importReport(result, replacesSample)) messages.note(text);
    return exitCode.success;
  } catch (error) {
    progressLine.clear();
    if (io.signal.aborted) messages.note('asof: stopped; nothing was imported');
    throw error;
  }
}

/** `asof import --log`: every import of the store as CSV, oldest first. */
export async function runImportLog({ store }: ImportLogLine, io: Io): Promise<number> {
  const [{ importLog }, { importLogText }] = await Promise.all([
    import('../../import/import.ts'),
    import('../../snapshot/import-log.ts'),
  ]);
  io.stdout.write(importLogText(await importLog(storeToRead(io, store).path)));
  return exitCode.success;
}

/** The progress line of an import; each stage has its own rate. */
class ImportProgressLine {
  readonly #newLine: () => Progress;
  #stage: ImportProgress['stage'] | undefined;
  #line: Progress;

  constructor(newLine: () => Progress) {
    this.#newLine = newLine;
    this.#line = newLine();
  }

  show(made: ImportProgress): void {
    if (made.stage !== this.#stage && this.#stage !== undefined) {
      this.clear();
      this.#line = this.#newLine();
    }
    this.#stage = made.stage;
    const { file, done, total } = made;
    if (made.stage === 'recognise') {
      this.#line.show(() => `looking at ${file}`, { done, total, unit: 'files' });
      return;
    }
    const { rows } = made;
    this.#line.show(() => `${rows.toLocaleString('en-US')} rows of ${file}`, { done, total, unit: 'bytes' });
  }

  clear(): void {
    this.#line.clear();
  }
}
