import type { Io } from './io.ts';
import type { Sink } from './sink.ts';
import { streamSink } from './stream-sink.ts';

/** The sink of `-o file`, or of stdout without one; fails at once where nothing can be written. */
export async function openSink(file: string | undefined, io: Io): Promise<Sink> {
  if (file === undefined) return streamSink(io.stdout, io.signal);
  if (io.runner?.sink !== undefined) return io.runner.sink;
  const { fileSink } = await import('./file-sink.ts');
  return fileSink(file, io.signal);
}
