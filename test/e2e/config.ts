import { readConfig, text, type ConfigOf } from '@lettergate/service/config'

const variables = {
  /** The commit whose services the upgrade test starts; empty for the newest tag `v*` before this commit. */
  previousRelease: text('PREVIOUS_RELEASE', { default: '' }),
}

export const loadOptions = (): ConfigOf<typeof variables> => readConfig(variables, process.env)
