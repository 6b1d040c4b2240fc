/** The parts of negotiator 1 that asof uses; @types/negotiator describes version 0.6, which has no `preferred`. */
declare module 'negotiator' {
  class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string>> });
    encoding(
      available: readonly string[],
      options: { readonly preferred: readonly string[] },
    ): string | undefined;
    mediaType(available: readonly string[]): string | undefined;
    mediaTypes(): string[];
  }
  export = Negotiator;
}
