// Writes the generated files of the clients; part of `make proto`.
import { writeFileSync } from 'node:fs'
import { generatedFiles } from './client-code.ts'

for (const [path, text] of Object.entries(generatedFiles())) writeFileSync(new URL(`../${path}`, import.meta.url), text)
