import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { verifyAuditChain, type ChainVerification } from './audit-log/verify-audit-chain.ts'

// `verify-audit-log <file> [sha256]`: checks an exported audit log, without a database and without a network.
const [path = '', named = ''] = process.argv.slice(2)
process.exitCode = await check(path, named === '' ? undefined : named)

/** Answers the exit status: 0 only for an intact file. */
async function check(file: string, sha256: string | undefined): Promise<0 | 1> {
  if (file === '') {
    process.stderr.write('Which file? make verify-audit-log FILE=audit-chain.ndjson [HEAD=sha256]\n')
    return 1
  }
  try {
    const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
    const verification = await verifyAuditChain(lines, sha256)
    process.stdout.write(`${textOf(verification, sha256 !== undefined).join('\n')}\n`)
    return verification.findings.length === 0 ? 0 : 1
  } catch (error) {
    process.stderr.write(`${file} cannot be read: ${(error as Error).message}\n`)
    return 1
  }
}

function textOf({ findings, entries, first, isWhole, head }: ChainVerification, isNamed: boolean): string[] {
  const printable = (line: string) => line.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd')
  if (findings.length > 0)
    return ['NOT INTACT. Do not rely on this file.', ...findings.map((finding) => `  - ${printable(finding)}`)]
  return [
    'INTACT. No entry was changed, removed, inserted or reordered.',
    '',
    `Entries  ${entries}${first === undefined ? '' : `, positions ${first} to ${head!.position}`}`,
    isWhole ? 'Begins   at the first entry of the log' : 'Begins   where an earlier file ends: verify that file too',
    `Head     ${printable(head!.sha256 ?? 'none')}`,
    isNamed
      ? '         The chain contains the hash that you named.'
      : '         Compare it with a copy from elsewhere (the log of the gateway, an earlier file), or pass HEAD=.',
  ]
}
