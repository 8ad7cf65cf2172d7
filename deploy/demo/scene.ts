import type { Stack } from '@lettergate/local/launcher/state'
import type { Api } from './api.ts'

/** The input of every step: the callers, the paths of the workspace, the stack, and a function that prints a line. */
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
  /** number of runs of the demo on this state directory, with this one */
  round: number
  print: (line: string) => void
}

/** Every reason that excludes this contact from campaigns to the audience; empty when nothing does. */
export async function reasonsOf({ api, workspace }: Scene, contactId: string, audienceId: string): Promise<string[]> {
  const { eligibility } = await api.ok<{ eligibility: { reasons: string[] } }>(
    'GET',
    `${workspace}/contacts/${contactId}/eligibility/${audienceId}`,
  )
  return eligibility.reasons
}
