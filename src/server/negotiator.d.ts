/** The parts of negotiator 1 that asof uses; @types/negotiator is for version 0.6, without `preferred`. */
declare module 'negotiator' {
  class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string>> });
    encoding(
      available: readonly string[],
      options: { readonly preferred: readonly string[] },
    ): string | undefined;
    mediaType(available: readonly string[]): string | undefined;
  }
  export = Negotiator;
}
