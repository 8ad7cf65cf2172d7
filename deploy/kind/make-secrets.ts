// WALLET_CLIENT_SECRET=… MAILPROVIDER_API_KEY=… MAILPROVIDER_WEBHOOK_SIGNING_KEY=… node deploy/kind/make-secrets.ts > secrets.json
// Prints the Secrets of a new installation, for `kubectl create -f` or for a store of secrets.
import { loadSecretsConfig } from './config.ts'
import { newSecrets } from './secrets.ts'

const config = loadSecretsConfig()
process.stdout.write(
  `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: newSecrets(config, config) }, null, 2)}\n`,
)
