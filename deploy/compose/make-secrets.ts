// node deploy/compose/make-secrets.ts [local]: writes the files of `secrets` beside it, with new keys. With `local` they have the
// credentials of the stand-ins. Otherwise WALLET_CLIENT_SECRET, MAILPROVIDER_API_KEY and MAILPROVIDER_WEBHOOK_SIGNING_KEY are read
// from the environment.
import { loadSecretsConfig } from '@lettergate/kind/config'
import { newKeys } from '@lettergate/kind/new-keys'
import { envFiles } from './env-files.ts'
import { writeEnvFiles } from './write-env-files.ts'

const ofStandIns = {
  WALLET_CLIENT_SECRET: 'dev-wallet-secret',
  MAILPROVIDER_API_KEY: 'dev-api-key',
  MAILPROVIDER_WEBHOOK_SIGNING_KEY: 'dev-webhook-signing-key',
}
const folder = new URL('secrets', import.meta.url).pathname

try {
  const given = process.argv[2] === 'local' ? loadSecretsConfig(ofStandIns) : loadSecretsConfig()
  writeEnvFiles(folder, envFiles(newKeys(given)))
  process.stdout.write(`wrote ${folder}. Keep a copy in a safe place.\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
