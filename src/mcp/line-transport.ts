import type { Readable, Writable } from 'node:stream';
import { serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';

/** The most bytes of a line, and the most levels of lists and objects in a message. */
const mostBytes = 16 * 1024 * 1024;
const mostLevels = 100;

/** Messages as lines of JSON. A line that is no message gets an error, where the transport of the SDK is silent. */
export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  #begun: Buffer[] = [];
  #size = 0;
  readonly #onData = (chunk: Buffer): void => this.#receive(chunk);
  readonly #onError = (error: Error): void => this.onerror?.(error);

  constructor(stdin: Readable, stdout: Writable) {
    this.#stdin = stdin;
    this.#stdout = stdout;
  }

  async start(): Promise<void> {
    this.#stdin.on('data', this.#onData).on('error', this.#onError);
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#write(serializeMessage(message));
  }

  async close(): Promise<void> {
    this.#stdin.off('data', this.#onData).off('error', this.#onError).pause();
    this.onclose?.();
  }

  #receive(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      this.#add(chunk.subarray(from, end));
      if (this.#size <= mostBytes) this.#take(Buffer.concat(this.#begun).toString());
      this.#begun = [];
      this.#size = 0;
      from = end + 1;
    }
    this.#add(chunk.subarray(from));
  }

  /** Adds a part of a line; one that is too long is refused once, and read to its end without being kept. */
  #add(part: Buffer): void {
    const before = this.#size;
    this.#size += part.length;
    if (this.#size <= mostBytes) this.#begun.push(part);
    else if (before <= mostBytes) {
      this.#begun = [];
      this.#refuse(
        ErrorCode.InvalidRequest,
        `a message has more than ${mostBytes / 2 ** 20} MB: send a shorter one`,
      );
    }
  }

  #take(line: string): void {
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      this.#refuse(ErrorCode.ParseError, `a line is no JSON: ${String(error)}`);
      return;
    }
    const invalid = (reason: string) => this.#refuse(ErrorCode.InvalidRequest, reason, value);
    // Before the schema, whose checks call themselves for each level.
    if (isDeeper(value, mostLevels)) {
      invalid(`a message is nested more than ${mostLevels} levels deep: send a flatter one`);
      return;
    }
    const { success, data } = JSONRPCMessageSchema.safeParse(value);
    if (success) this.onmessage?.(data);
    else invalid('a line is no request of JSON-RPC 2.0');
  }

  #refuse(code: ErrorCode, message: string, request?: unknown): void {
    const error = { jsonrpc: '2.0', id: idOf(request), error: { code, message } };
    void this.#write(`${JSON.stringify(error)}\n`);
  }

  #write(text: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stdout.write(text)) resolve();
      else this.#stdout.once('drain', resolve);
    });
  }
}

/** The id of a request that is not valid; null where it has none. */
function idOf(request: unknown): string | number | null {
  if (typeof request !== 'object' || request === null || !('id' in request)) return null;
  const { id } = request;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Whether a value has more levels of lists and objects; without recursion, which deep values would exhaust. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}
