import type { Api } from '@lettergate/demo/api'
import type { Constellation } from '@lettergate/e2e/constellation'
import { atConsole, workspace, type ConsoleWorld } from './world.ts'

interface ReadAutomation {
  automation: { selected_version: { id: string; definition_checksum: string; definition: object } }
}

export const readAutomation = (owner: Api, id: string): Promise<ReadAutomation> =>
  owner.ok('GET', `${workspace}/automations/${id}`)

/** Marks the current version of an automation as reviewed. */
export async function reviewAutomation(owner: Api, id: string): Promise<void> {
  const { id: version_id, definition_checksum } = (await readAutomation(owner, id)).automation.selected_version
  await owner.ok('POST', `${workspace}/automations/${id}/ready-for-review`, { version_id, definition_checksum })
}

/** Reviews and publishes the current version of an automation. */
export async function publishAutomation(services: Constellation, { owner }: ConsoleWorld, id: string): Promise<void> {
  await reviewAutomation(owner, id)
  const browser = await services.inBrowser('owner')
  await browser.ok('POST', `${atConsole}/automations/${id}/publish`)
}

/** Subscribes a person to the other audience, which fires the trigger of its automations. */
export const subscribe = ({ owner, otherAudienceId, contacts }: ConsoleWorld, name: string): Promise<unknown> =>
  owner.ok('POST', `${workspace}/audiences/${otherAudienceId}/subscribe`, {
    contact_id: contacts[name],
    source: 'form',
    wording_version: 'footer-2026-01',
  })
