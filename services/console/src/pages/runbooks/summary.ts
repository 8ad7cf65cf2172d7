import { inWords } from '../../parts/words.ts'

export interface RunbookSummary {
  title: string
  /** the first sentence of its text */
  about: string
}

/** What a list shows of a runbook: its heading in words, and its first sentence without the markup and the names of values. */
export function summaryOf(markdown: string): RunbookSummary {
  const [, heading = '', text = ''] = /^# (?:Alerts?: )?(.*)\n\s*(?:\*\*Meaning\.\*\* )?(.*)/.exec(markdown) ?? []
  const plain = text
    .replaceAll(/ \(`[^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
  return { title: inWords(heading), about: plain.replace(/([.:])\s.*$/, '$1').replace(/:$/, '.') }
}
