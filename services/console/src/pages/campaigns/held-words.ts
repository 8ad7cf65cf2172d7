import { gatesInWords } from '../../parts/gates-in-words.ts'
import { inWords } from '../../parts/words.ts'

/** The closed gate that holds a run, if it is a gate. */
export const gateOf = (heldBy: string) => Object.entries(gatesInWords).find(([name]) => name === heldBy)?.[1]

/** `production_sending_enabled` → “Held: production sending is closed”; `sender_identity` → “Held by: sender identity”. */
export function heldInWords(heldBy: string): string {
  const gate = gateOf(heldBy)
  return gate ? `Held: ${gate.title.toLowerCase()} is closed` : `Held by: ${inWords(heldBy).toLowerCase()}`
}
