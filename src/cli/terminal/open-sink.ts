import type { Io } from './io.ts';
import { type Sink, streamSink } from './stream-sink.ts';

/** The sink of `-o file`, or of stdout; a file that cannot be written is a Problem at once. */
export async function openSink(file: string | undefined, io: Io): Promise<Sink> {
  if (file === undefined) return streamSink(io.stdout, io.signal);
  const { fileSink } = await import('./file-sink.ts');
  return fileSink(file, io.signal);
}
