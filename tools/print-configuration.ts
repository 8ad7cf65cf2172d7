// node tools/print-configuration.ts > docs/configuration.md
import { configurationPage } from './configuration-page.ts'

process.stdout.write(await configurationPage())
