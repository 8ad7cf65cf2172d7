import type { Stack } from '@lettergate/local/launcher/state'
import type { Api } from './api.ts'

/** Where the steps of the demo play: the callers, the workspace in both of its addresses, and a voice. */
export interface Scene {
  /** the owner of the workspace, with a token */
  api: Api
  /** the same person, signed in with a browser */
  browser: Api
  /** the workspace in the public API */
  workspace: string
  /** the workspace at the console */
  atConsole: string
  stack: Stack
  /** how often the demo has run on this state directory, this time included */
  round: number
  tell: (line: string) => void
}

/** Every reason why this person may not be mailed for the audience; none means that they may. */
export async function reasonsOf({ api, workspace }: Scene, contactId: string, audienceId: string): Promise<string[]> {
  const { eligibility } = await api.ok<{ eligibility: { reasons: string[] } }>(
    'GET',
    `${workspace}/contacts/${contactId}/eligibility/${audienceId}`,
  )
  return eligibility.reasons
}
