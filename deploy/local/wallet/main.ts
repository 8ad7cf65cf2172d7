import { announce } from '../announce.ts'
import { loadConfig } from './config.ts'
import { startWallet } from './wallet.ts'

const wallet = await startWallet(loadConfig())
announce('wallet', { url: wallet.url }, [wallet])
