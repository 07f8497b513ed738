"""Code as one syntax tree per fence or script, and what is asked of it. It knows nothing of skills."""
