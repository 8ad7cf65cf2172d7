import { execFile } from 'node:child_process'

/** The folder of the project. */
export const root = new URL('../..', import.meta.url).pathname

interface Verification {
  status: number
  output: string
}

/** Runs a target of the Makefile that verifies a file. The status is 0 only for an intact file. */
const verify = (target: string, variables: Record<string, string>): Promise<Verification> =>
  new Promise((resolve) => {
    const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
    execFile('make', ['--no-print-directory', '-s', target, ...given], { cwd: root }, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}` }),
    )
  })

/** Runs `make verify-consent` with the fingerprint that the console shows. */
export const verifyConsent = (file: string, fingerprint: string): Promise<Verification> =>
  verify('verify-consent', { FILE: file, KEY_FINGERPRINT: fingerprint })

/** Runs `make verify-audit-log` with the hash of a seal that was kept elsewhere. */
export const verifyAuditLog = (file: string, head: string): Promise<Verification> =>
  verify('verify-audit-log', { FILE: file, HEAD: head })
