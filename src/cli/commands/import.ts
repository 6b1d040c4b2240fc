import type { ImportProgress } from '../../import/import.ts';
import { importReport, outdatedLines } from '../../import/report.ts';
import type { ImportLine, ImportLogLine } from '../../lines/line.ts';
import { print } from '../../platform/sink.ts';
import { importLogText } from '../../snapshot/manifest.ts';
import { defaultStorePath, storeToRead, storeToWrite } from '../config/places.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';
import { type Progress, progress } from '../terminal/progress.ts';

/** `asof import`: imports files and folders into the store, in one transaction. */
export async function runImport(line: ImportLine, io: Io): Promise<number> {
  const { command: _command, paths, messages: _messages, resolved, store: _store, ...options } = line;
  const messages = messagesOf(line.messages, io);
  messages.resolved(resolved);
  const store = storeToWrite(io, line.store);
  const progressLine = new ImportProgressLine(() => progress(io, line.messages.quiet));
  const { importFiles } = await import('../../import/import.ts');
  try {
    const { clock, signal, stdin } = io;
    if (paths.includes('-') && stdin.isTTY === true)
      messages.note('asof: reading the terminal; end the input with Ctrl-D');
    const result = await importFiles(paths, {
      ...options,
      ...{ store, clock, signal, stdin },
      onProgress: (done) => progressLine.show(done),
    });
    progressLine.clear();
    const replacesSample = !options.withSample && store === defaultStorePath(io);
    for (const text of importReport(result, replacesSample)) messages.note(text);
    return exitCode.success;
  } catch (error) {
    progressLine.clear();
    if (io.signal.aborted) messages.note('asof: stopped; nothing was imported');
    throw io.stderr.isTTY === true ? await shortened(error) : error;
  }
}

/** More conflicts would scroll their counts off a terminal. */
const mostConflicts = 100;

/** A failure whose list of conflicts fits a terminal. */
export async function shortened(error: unknown): Promise<unknown> {
  const { ImportRefusal } = await import('../../import/load/conflict.ts');
  return error instanceof ImportRefusal ? error.cutAt(mostConflicts) : error;
}

/** `asof import --log`: every import of the store as CSV, oldest first. */
export async function runImportLog({ store }: ImportLogLine, io: Io): Promise<number> {
  const { importLog } = await import('../../import/import.ts');
  const log = await importLog(storeToRead(io, store).path);
  await print(importLogText(log), io);
  const outdated = log.filter((entry) => entry.outdated).map(({ file }) => file);
  for (const text of outdatedLines(outdated)) io.stderr.write(`${text}\n`);
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
