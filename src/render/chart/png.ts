import type { Resvg } from '@resvg/resvg-js';
import { Problem } from '../../errors/problem.ts';
import type { OutputLayout, Renderer } from '../renderer.ts';
import { svgRenderer } from './svg.ts';

/** Pixels for each unit of the picture, for sharp pictures on paper and dense screens. */
const scale = 2;

const letter =
  '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text x="2" y="16" font-size="16" font-family="sans-serif">M</text></svg>';

/** Renders a chart as PNG: the picture of the SVG file, with the fonts of the machine. */
export function pngRenderer(layout: OutputLayout): Renderer {
  const svg = svgRenderer(layout);
  return {
    page: (envelope) => svg.page(envelope),
    /** Throws a Problem without a font: the texts would be missing. */
    async *end() {
      const draw = await loaded();
      if (draw(letter, 1).pixels.every((value) => value === 0))
        throw new Problem('bad-input', 'there is no font to write the texts of a PNG chart with', {
          hints: ['install a font, such as DejaVu Sans', '-o chart.svg needs none'],
        });
      yield draw(svg.end(), scale).asPng();
    },
  };
}

type Draw = (svg: string, zoom: number) => ReturnType<Resvg['render']>;

async function loaded(): Promise<Draw> {
  const { Resvg } = await import('@resvg/resvg-js').catch((cause) => {
    throw new Problem('bad-input', 'png needs the package @resvg/resvg-js, which is not installed', {
      hints: ['npm install @resvg/resvg-js', '-o chart.svg needs no package'],
      cause,
    });
  });
  const font = { loadSystemFonts: true, defaultFontFamily: 'DejaVu Sans' };
  return (svg, zoom) => new Resvg(svg, { fitTo: { mode: 'zoom', value: zoom }, font }).render();
}
