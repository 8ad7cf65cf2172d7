import { beginning, chainFormat, compareChain, type AuditRow, type AuditSeal, type ChainPlace } from './audit-chain.ts'

/** The result of checking one file. It is intact without findings. */
export interface ChainVerification {
  findings: string[]
  entries: number
  /** the positions of the first and the last entry; undefined without entries */
  first: number | undefined
  /** whether the file begins at the first entry of the log */
  isWhole: boolean
  head: ChainPlace | undefined
}

interface Line {
  format?: unknown
  after?: unknown
  seal?: unknown
  entry?: unknown
  head?: unknown
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const findingsMax = 100

/**
 * Verifies an exported audit log offline, line by line: the entries against their seals, the seals against each other, and the
 * last seal against the head in the last line. It never throws. `named` is a hash of a seal that the caller knows from
 * elsewhere: it must be in the file.
 */
export async function verifyAuditChain(lines: AsyncIterable<string>, named?: string): Promise<ChainVerification> {
  const result: ChainVerification = { findings: [], entries: 0, first: undefined, isWhole: false, head: undefined }
  const found = (finding: string) => {
    if (result.findings.length < findingsMax) result.findings.push(finding)
  }
  let number = 0
  let place: ChainPlace | undefined
  let isNamedFound = named === undefined
  for await (const text of lines) {
    number += 1
    const line = parsed(text)
    if (number === 1) {
      if (line?.format !== chainFormat) {
        found('This is not an exported audit log: its first line is not the one of the format.')
        return result
      }
      result.isWhole = line.after === 0
      place = result.isWhole ? beginning : undefined
    } else if (result.head) found(`Line ${number} is after the head: it was inserted.`)
    else if (isObject(line?.head)) {
      result.head = { position: Number(line.head['position']), sha256: (line.head['sha256'] as string | null) ?? null }
    } else if (isSealed(line)) {
      const { mismatches, to } = compareChain([line], place)
      for (const { problem, position, entryId } of mismatches) found(`Position ${position} (${entryId}): ${problem}.`)
      place = to
      result.first ??= line.seal.position
      result.entries += 1
      if (line.seal.sha256 === named) isNamedFound = true
    } else found(`Line ${number} is not an entry with its seal.`)
  }
  if (!result.head) found('The last line is missing: the file is incomplete.')
  else if (place && (place.position !== result.head.position || place.sha256 !== result.head.sha256))
    found(`The file ends at position ${place.position}, and its head is position ${result.head.position}.`)
  if (!isNamedFound) found('No seal in the file has the hash that you named.')
  return result
}

function parsed(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isSealed(line: Line | undefined): line is { seal: AuditSeal; entry: AuditRow | null } {
  if (!isObject(line?.seal)) return false
  const { position, sha256, entry_id: entryId } = line.seal
  const isSeal = Number.isSafeInteger(position) && typeof sha256 === 'string' && typeof entryId === 'string'
  return isSeal && (line.entry === null || isObject(line.entry))
}
