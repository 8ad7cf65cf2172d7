import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '@lettergate/local/launcher/config'
import { down } from '@lettergate/local/launcher/down'

/**
 * Stops the stacks of processes that tests left in this directory, and deletes it. The processes of a stack outlive their
 * launcher, so a test that is killed cannot stop them.
 */
export async function stopStacks(directory: string): Promise<void> {
  const stacks = readdirSync(directory).map((name) => join(directory, name))
  await Promise.all(stacks.map((stack) => down(loadConfig({ LETTERGATE_STATE_DIR: stack }), () => undefined)))
  rmSync(directory, { recursive: true, force: true })
}
