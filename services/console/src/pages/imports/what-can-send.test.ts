import { expect, test } from '@jest/globals'
import type { Gate } from '@lettergate/client/console'
import { whatCanSend } from './what-can-send.ts'

const gate = (name: Gate['name'], effective: boolean, ceiling: boolean | null) =>
  ({ name, effective, ceiling, stored: effective }) as Gate
const closed = {
  isWorkspaceOn: false,
  enabledSenders: 0,
  isProductionOpen: false,
  gates: [gate('production_sending_enabled', false, false), gate('test_sends_enabled', false, null)],
}

test('everything that can send is named with the page that changes it', () => {
  expect(whatCanSend(closed)).toEqual([])
  expect(whatCanSend({ ...closed, gates: undefined })).toEqual([])
  const all = whatCanSend({
    isWorkspaceOn: true,
    enabledSenders: 2,
    isProductionOpen: true,
    gates: [gate('production_sending_enabled', true, true), gate('test_sends_enabled', true, null)],
  })
  expect(all.map(({ page }) => page)).toEqual(['/sending', '/sending', '/platform/gates', '/platform/gates', undefined])
  expect(all[1]!.words).toMatch(/^2 senders are enabled/)
  expect(whatCanSend({ ...closed, gates: [gate('production_sending_enabled', false, true)] })).toEqual([
    { words: expect.stringContaining('ALLOW_PRODUCTION_SENDING_ACTIVATION'), page: undefined },
  ])
})
