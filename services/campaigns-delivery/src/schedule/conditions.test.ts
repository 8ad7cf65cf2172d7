import { describe, expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { requireSchedulable, type ScheduleFacts } from './conditions.ts'

const sender = {
  domainIsReady: true,
  domainCheckIsCurrent: true,
  connectionIsActive: true,
  connectionState: 'verified',
  isEnabled: true,
}
const good: ScheduleFacts = {
  scheduledFor: new Date('2026-11-21T13:00:00Z'),
  now: new Date('2026-11-21T12:00:00Z'),
  campaignStatus: 'draft',
  audiences: [{ id: 'a', isArchived: false }],
  audienceIds: ['a'],
  templateIsArchived: false,
  sender,
  production: 'open',
  workspace: { isArchived: false, productionSendingEnabled: true },
}

function faultOf(change: Partial<ScheduleFacts>): Fault | undefined {
  try {
    requireSchedulable({ ...good, ...change })
    return undefined
  } catch (error) {
    return error as Fault
  }
}

test('a campaign that meets all conditions may be scheduled', () => expect(faultOf({})).toBeUndefined())

describe('each condition refuses separately, with its own reason', () => {
  test.each<[string, Partial<ScheduleFacts>]>([
    ['scheduled_for', { scheduledFor: good.now }],
    ['campaign_not_draft', { campaignStatus: 'scheduled' }],
    ['audience_archived', { audiences: [{ id: 'a', isArchived: true }] }],
    ['audience_archived', { audiences: [] }],
    ['audience_archived', { audienceIds: [] }],
    ['content_archived', { templateIsArchived: true }],
    ['sender_missing', { sender: undefined }],
    ['sender_not_ready', { sender: { ...sender, domainIsReady: false } }],
    ['production_ceiling', { production: 'below_ceiling' }],
    ['production_switch', { production: 'switched_off' }],
    ['workspace_archived', { workspace: { isArchived: true, productionSendingEnabled: true } }],
    ['workspace_sending_disabled', { workspace: { isArchived: false, productionSendingEnabled: false } }],
    ['connection_not_verified', { sender: { ...sender, connectionIsActive: false } }],
    ['connection_not_verified', { sender: { ...sender, connectionState: 'failed' } }],
    ['domain_check_outdated', { sender: { ...sender, domainCheckIsCurrent: false } }],
    ['sender_disabled', { sender: { ...sender, isEnabled: false } }],
  ])('%s', (reason, change) => {
    const fault = faultOf(change)
    expect(fault).toBeInstanceOf(Fault)
    expect(fault?.reason).toBe(reason)
    expect(['invalid_argument', 'failed_precondition']).toContain(fault?.code)
  })

  test('a refusal names the audiences that are archived or deleted', () => {
    const fault = faultOf({
      audienceIds: ['a', 'b', 'c'],
      audiences: [
        { id: 'a', isArchived: false },
        { id: 'b', isArchived: true },
      ],
    })
    expect(fault).toMatchObject({ code: 'failed_precondition', reason: 'audience_archived' })
    expect(fault?.message).toBe(
      'Of the audiences of this campaign these are archived: b, c. Append a draft version without them.',
    )
  })

  test('no two conditions share a message', () => {
    const messages = [
      faultOf({ scheduledFor: good.now }),
      faultOf({ campaignStatus: 'sent' }),
      faultOf({ audiences: [] }),
      faultOf({ templateIsArchived: true }),
      faultOf({ sender: undefined }),
      faultOf({ sender: { ...sender, domainIsReady: false } }),
      faultOf({ production: 'below_ceiling' }),
      faultOf({ production: 'switched_off' }),
      faultOf({ workspace: { isArchived: true, productionSendingEnabled: true } }),
      faultOf({ workspace: { isArchived: false, productionSendingEnabled: false } }),
      faultOf({ sender: { ...sender, connectionIsActive: false } }),
      faultOf({ sender: { ...sender, domainCheckIsCurrent: false } }),
      faultOf({ sender: { ...sender, isEnabled: false } }),
    ].map((fault) => fault?.message)
    expect(new Set(messages).size).toBe(messages.length)
  })
})
