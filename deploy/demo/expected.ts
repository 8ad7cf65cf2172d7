import type { Person } from './add-people.ts'

/** The numbers that the report must show, computed only from the input of the demo. */
export interface Expected {
  included: number
  excluded: number
  exclusions: Record<string, number>
  report: Record<string, number>
}

const count = (people: readonly Person[], ...behaviours: string[]) =>
  people.filter((person) => behaviours.includes(person.behaviour)).length

/** `byLink` people unsubscribed through the email that they received. */
export function expectedOf(people: readonly Person[], byLink: number): Expected {
  const members = people.filter((person) => !person.left)
  const mailed = members.filter((person) => !person.excludedBy)
  const exclusions: Record<string, number> = {}
  for (const person of members)
    if (person.excludedBy) exclusions[person.excludedBy] = (exclusions[person.excludedBy] ?? 0) + 1
  const hardBounced = count(mailed, 'hardbounce')
  const softFailed = count(mailed, 'softfail')
  const silent = count(mailed, 'silent')
  return {
    included: mailed.length,
    excluded: members.length - mailed.length,
    exclusions,
    report: {
      sent: mailed.length,
      delivered: mailed.length - hardBounced - softFailed - silent,
      hard_bounced: hardBounced,
      soft_failed_only: softFailed,
      no_terminal_event: silent,
      opened_recipients: count(mailed, 'open'),
      clicked_recipients: count(mailed, 'click'),
      complained: count(mailed, 'complain'),
      unsubscribes_attributed: count(mailed, 'unsubscribe') + byLink,
      skipped: 0,
      unknown: 0,
      failed: 0,
    },
  }
}
