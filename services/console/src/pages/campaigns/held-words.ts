import { gatesInWords } from '../../parts/gates-in-words.ts'
import { inWords } from '../../parts/words.ts'

interface Hold {
  /** what holds the run, after “Held: ” */
  what: string
  means: string
  /** the page that changes it */
  page: string
}

const byItself = 'The run then goes on by itself, and nothing is lost.'
const notReady = (part: string): Hold => ({
  what: `the ${part} is not ready`,
  means: `Nothing is handed off until the ${part} can send. ${byItself}`,
  page: '/sending',
})

/** What holds a run besides a closed gate, by its name in the API. */
const others: Record<string, Hold> = {
  workspace_sending: {
    what: 'sending is off in this workspace',
    means: `An owner of the workspace activates it. An archived workspace sends nothing. ${byItself}`,
    page: '/sending',
  },
  sender_identity: notReady('sender'),
  sending_domain: notReady('domain of the sender'),
  provider_connection: notReady('provider connection'),
}

/** What holds a run, in words: `production_sending_enabled` → “production sending is closed”. */
export function holdOf(heldBy: string): Hold {
  const gate = Object.entries(gatesInWords).find(([name]) => name === heldBy)?.[1]
  if (gate)
    return {
      what: `${gate.title.toLowerCase()} is closed`,
      means: `${gate.closed} A platform owner or administrator opens the gate.`,
      page: '/platform/gates',
    }
  return others[heldBy] ?? notReady(inWords(heldBy).toLowerCase())
}
