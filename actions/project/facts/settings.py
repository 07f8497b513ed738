"""List the keys of settings.json that Claude Code reads.

Source: the schema of settings in the CLI 2.1.330. Claude Code accepts other keys, but ignores them.
"""

SETTINGS_FILES = ("settings.json", "settings.local.json")
SETTINGS = frozenset(
    "$schema additionalDirectoryConfigRoots additionalMarketplaces advisorModel agent agentPushNotifEnabled"
    " allowAllClaudeAiMcps allowClaudeInChromeWithManagedMcp allowedChannelPlugins allowedHttpHookUrls"
    " allowedMarketplaces allowedMcpServers allowedProviders allowManagedHooksOnly allowManagedMcpServersOnly"
    " allowManagedPermissionRulesOnly allowNestedModelAccessUnderForceLogin alwaysThinkingEnabled apiKeyHelper"
    " appendPlugins askUserQuestionTimeout attribution attributionProject attributionProjectPolicy"
    " autoCompactEnabled autoCompactOfferAnswer autoCompactRaisedForLoad autoCompactWindow"
    " autoContinueAtUsageLimit autoDreamEnabled autoMemoryDirectory autoMemoryEnabled autoScrollEnabled"
    " autoUpdatesChannel autoUploadSessions availableModels availableModelsMatch awaySummaryEnabled awsAuthRefresh"
    " awsCredentialExport bashEditDiffEnabled bashOutputMaxChars blockedMarketplaces breakReminder channelsEnabled"
    " claudeMd claudeMdExcludes clawdFileProgressEnabled cleanupPeriodDays companyAnnouncements"
    " crossSessionInbound daemonColdStart defaultShell deniedMcpServers deniedModels desktopMcpServersListScope"
    " desktopSessionCleanupPeriodDays dialogExpiry disableAgentView disableAllHooks disableArtifact"
    " disableAutoMode disableBundledSkills disableClaudeAiConnectors disableCommandPluginSources"
    " disableDirectMcpSkills disabledMcpjsonServers disableRemoteControl disableReplyCheck disableSideloadFlags"
    " disableSkillShellExecution disableWindowsBashCommandSplit disableWorkflows doneMeansMerged editorMode"
    " effortLevel emojiCompletionEnabled enableAllProjectMcpServers enableArtifact enabledMcpjsonServers"
    " enabledPlugins enableWorkflows enforceAvailableModels env extraKnownMarketplaces fallbackModel fastMode"
    " fastModePerSessionOptIn feedbackDrafts feedbackSurveyRate fileCheckpointingEnabled fileSuggestion"
    " footerLinksRegexes forceLoginGatewayUrl forceLoginMethod forceLoginOrgUUID forceRemoteSettingsRefresh"
    " gatewayInternalNetworks gcpAuthRefresh hooks httpHookAllowedEnvVars idleCompaction includeCoAuthoredBy"
    " includeGitInstructions inputNeededNotifEnabled isolatePeerMachines keybindingFlavor language"
    " managedMcpServers managedSourcesBehavior maxEffortLevel maxProseWidth minimumVersion model modelOverrides"
    " modelPicker modelPricing modelProposedGoals modelSettings otelHeadersHelper outputStyle"
    " parentSettingsBehavior permissions plansDirectory pluginConfigs pluginSuggestionMarketplaces"
    " pluginTrustMessage policyHelper policyHelpers precomputeArmTokens precomputeCompactionEnabled"
    " preferredNotifChannel prefersReducedMotion prependPlugins processWrapper promptCacheTtl"
    " promptSuggestionEnabled proxyAuthHelper prUrlTemplate quietHours remote remoteControl remoteControlAtStartup"
    " remoteMessageReceipts remoteTools requiredMaximumVersion requiredMinimumVersion respectGitignore"
    " respondToBashCommands responseComparisonEnabled sandbox showClearContextOnPlanAccept showMessageTimestamps"
    " showThinkingSummaries showTurnDuration skillListingBudgetFraction skillListingMaxDescChars skillOverrides"
    " skipDangerousModePermissionPrompt skipWebFetchPreflight skipWorkflowUsageWarning spellcheck"
    " spinnerTipsEnabled spinnerTipsOverride spinnerVerbs sshConfigs sshHostCommands statusLine"
    " strictKnownMarketplaces strictPluginOnlyCustomization subagentPromptCacheTtl subagentStatusLine"
    " switchModelsOnFlag syncClaudeAiPlugins syncClaudeAiSkills syntaxHighlightingDisabled taskOutputMaxChars"
    " teammateMode terminalProgressBarEnabled terminalTitleFromRename theme timeFormat timeZone todoFeatureEnabled"
    " totalTokensReminder totalTokensReminderAfterUserTurn totalTokensReminderBudget tui ultracode verbose"
    " viewMode vimInsertModeRemaps voice wheelScrollAccelerationEnabled workflowKeywordTriggerEnabled"
    " workflowSizeGuideline worktree wslInheritsWindowsSettings xaaIdp".split()
)
"""The keys at the top level."""
PERMISSIONS = frozenset(
    "allow deny ask defaultMode disableBypassPermissionsMode blockReadsOutsideWorkingDirectories"
    " blockFileToolReadsOutsideWorkingDirectories blockWritesOutsideWorkingDirectories blockReadsExemptPaths"
    " workingDirectoriesAsGiven workingDirectoriesExclude disableAutoMode denyInsteadOfPrompting"
    " additionalDirectories".split()
)
"""The keys of `permissions`."""
