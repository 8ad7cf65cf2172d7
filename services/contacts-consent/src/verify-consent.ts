import { readFileSync } from 'node:fs'
import { proofText } from './consent-record/proof-text.ts'
import { verifyConsentProof } from './consent-record/verify-consent-proof.ts'

// `verify-consent <file> [fingerprint] [--all]`: checks an exported consent proof, without a database and without a network.
const [path, fingerprint = ''] = process.argv.slice(2).filter((argument) => argument !== '--all')
const showsEveryAudience = process.argv.includes('--all')
process.exitCode = check(path ?? '', fingerprint === '' ? undefined : fingerprint)

/** Answers the exit status: 0 only for a file without any doubt. */
function check(file: string, named: string | undefined): 0 | 1 {
  if (file === '') {
    process.stderr.write('Which file? make verify-consent FILE=proof.json [KEY_FINGERPRINT=…] [ALL=true]\n')
    return 1
  }
  let given: unknown
  try {
    given = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)))
  } catch (error) {
    process.stderr.write(`${file} cannot be read as JSON: ${(error as Error).message}\n`)
    return 1
  }
  const verification = verifyConsentProof(given, named)
  process.stdout.write(proofText(verification, { isKeyNamed: named !== undefined, showsEveryAudience }))
  return verification.findings.length + verification.doubts.length === 0 ? 0 : 1
}
