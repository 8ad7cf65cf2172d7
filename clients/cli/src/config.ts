import { homedir } from 'node:os'
import { join } from 'node:path'

/** What the environment says. A token is in the environment or in the file of `lettergate sign-in`, never an argument. */
export interface Environment {
  token?: string
  baseUrl?: string
  /** `organization/workspace` */
  workspace?: string
  /** the file that `lettergate sign-in` writes */
  settingsFile: string
}

const given = (value: string | undefined) => (value === undefined || value === '' ? undefined : value)

/** Reads the environment variables of the command line. */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Environment {
  const token = given(env['LETTERGATE_TOKEN'])
  const baseUrl = given(env['LETTERGATE_URL'])
  const workspace = given(env['LETTERGATE_WORKSPACE'])
  const folder = given(env['XDG_CONFIG_HOME']) ?? join(homedir(), '.config')
  return {
    ...(token === undefined ? {} : { token }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(workspace === undefined ? {} : { workspace }),
    settingsFile: join(folder, 'lettergate', 'settings.json'),
  }
}
