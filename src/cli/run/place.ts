import { parseFormat } from '../../render/formats.ts';
import type { OutputPlace } from '../../render/output.ts';
import { readSettings } from '../config/settings.ts';
import { type Io, variable } from '../terminal/io.ts';

/** Where output goes, and what the environment and the settings say about it. */
export function outputPlace(io: Io): OutputPlace {
  const { isTTY, columns, rows } = io.stdout;
  const plotWidth = /^[1-9]\d{0,3}$/.exec(variable(io, 'COLUMNS') ?? '')?.[0];
  const colour = wantedColour(io);
  const named = variable(io, 'ASOF_FORMAT');
  const format = named === undefined ? readSettings(io).format : parseFormat(named);
  return {
    ...(isTTY === true && { terminal: { columns: columns || 80, ...(rows && { rows }) } }),
    ...(format !== undefined && { format }),
    ...(colour !== undefined && { colour }),
    ...(plotWidth !== undefined && { plotWidth: Number(plotWidth) }),
  };
}

/** Whether the environment wants colours; undefined where it does not say. */
function wantedColour(io: Io): boolean | undefined {
  if (variable(io, 'NO_COLOR') !== undefined) return false;
  const forced = variable(io, 'FORCE_COLOR');
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return io.env.TERM === 'dumb' ? false : undefined;
}
