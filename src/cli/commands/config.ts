import { Problem } from '../../errors/problem.ts';
import type { ConfigLine } from '../../lines/line.ts';
import { changeConfigFile, configPath, readConfigFile } from '../../platform/config-file.ts';
import { print } from '../../platform/sink.ts';
import { shownAddress } from '../../store/address.ts';
import { readSettings, settingNamed, settings, settingValue } from '../config/settings.ts';
import { exitCode, type Io } from '../terminal/io.ts';

/** `asof config get|set|unset|list|path`: the settings of this user. */
export async function runConfig(line: ConfigLine, io: Io): Promise<number> {
  switch (line.command) {
    case 'config get': {
      const name = settingNamed(line.name);
      const value = readSettings(io)[name];
      if (value === undefined) throw new Problem('not-found', `${name} is not set`);
      await print(`${shownAddress(String(value))}\n`, io);
      break;
    }
    case 'config set': {
      const name = settingNamed(line.name);
      await changeConfigFile(io, 'config', name, settingValue(name, line.value));
      break;
    }
    case 'config unset':
      await changeConfigFile(io, 'config', settingNamed(line.name), undefined);
      break;
    case 'config list': {
      // As written in the file, so that the user sees an invalid value.
      const entries = readConfigFile(io, 'config');
      for (const [name] of settings)
        if (entries[name] !== undefined) await print(`${name}=${shownAddress(String(entries[name]))}\n`, io);
      break;
    }
    case 'config path':
      await print(`${configPath(io, 'config')}\n`, io);
  }
  return exitCode.success;
}
