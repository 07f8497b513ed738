"""Read what the user gives: options, arguments, and answers to questions in the terminal."""
