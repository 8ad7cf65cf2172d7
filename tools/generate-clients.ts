// Writes the generated files of the clients; part of `make proto`.
import { writeFileSync } from 'node:fs'
import { generatedClients } from './generated-clients.ts'

for (const [path, text] of Object.entries(generatedClients()))
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
