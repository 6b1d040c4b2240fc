/** The parts of the library for workbooks that asof uses. */
declare module 'write-excel-file/node' {
  function writeExcelFile(
    sheets: readonly {
      readonly sheet: string;
      readonly data: readonly (readonly unknown[])[];
      readonly columns: readonly { readonly width: number }[];
      readonly stickyRowsCount?: number;
    }[],
  ): { readonly toBuffer: () => Promise<Buffer> };

  export = writeExcelFile;
}

/** The parts of the library for pixels that asof uses; an optional dependency, which may be missing. */
declare module '@resvg/resvg-js' {
  export class Resvg {
    constructor(
      svg: string,
      options: {
        readonly fitTo: { readonly mode: 'zoom'; readonly value: number };
        readonly font: { readonly loadSystemFonts: boolean; readonly defaultFontFamily: string };
      },
    );
    render(): { readonly pixels: Uint8Array; asPng(): Uint8Array };
  }
}
